"""One error tree for the policy; each class is one boundary at which things can fail."""


class PolicyError(Exception):
    """Any failure of the policy that is not the fault of a sampled token: those are data and never raise."""


class VocabularyError(PolicyError):
    """A vocabulary file is unreadable, malformed, or not an extension of the one a checkpoint was trained
    with."""


class CheckpointError(PolicyError):
    """A checkpoint is missing, unreadable, or of another shape than the policy that wants it."""


class AgreementError(PolicyError):
    """Sampler and trainer disagree about log-probabilities: policy gradients would be silently wrong."""


class WeightsError(PolicyError):
    """Published weights, their tokenizer or their chat template cannot be read, or are of another kind."""


class DemonstrationError(PolicyError):
    """A demonstration cannot be written in tokens, so nothing can be learned from it."""


class DeviceError(PolicyError):
    """The devices do not suffice: fewer than the mesh needs, processes that are not found, too little
    memory."""
