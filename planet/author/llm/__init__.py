"""The author that is a language model: prompts, answers read with suspicion, a cache, a budget, retries."""
