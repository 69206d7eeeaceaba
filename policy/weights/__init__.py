"""Published weights: read from Hugging Face folders and GGUF files, and written back as folders."""
