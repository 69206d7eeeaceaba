"""Language models behind an interface: how one is reached, asked, paid for, and what is kept of it."""
