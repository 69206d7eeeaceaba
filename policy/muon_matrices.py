"""Which parameters Muon takes; free of JAX, so that plans know it as well."""


def is_muons(top: object, axes: int) -> bool:
    """Whether a parameter is Muon's: a matrix inside the blocks. `top`: the first part of its path."""
    return top == "blocks" and axes == 2
