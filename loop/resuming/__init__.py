"""Steps, what each one records, and how a stopped run goes on."""
