"""A curriculum is Sampler × Gate × Grower: which tasks, which groups, which new worlds."""
