"""Tasks grown from a world: families draft them, phrasings say them, the audit admits them."""
