"""Published models as policies: their tokenizer, their chat template, and tool calls as JSON."""
