"""What a decoder reads and says: words and slots, or a published model's own tokens."""

from typing import Any, Protocol

from loop.config import Config
from loop.errors import ConfigError
from planet.identity import digest
from policy.codec import Codec
from policy.config import PolicyConfig
from policy.vocabulary import FIRST_WORD
from policy.vocabulary import load as load_vocabulary
from policy.world_codec import WorldCodec


class Language(Protocol):
    """A codec, and what a checkpoint has to say of it."""

    codec: Codec

    def digest(self) -> str:
        """What it is, in a word."""

    def described(self) -> dict[str, Any]:
        """Metadata of a checkpoint."""

    def require_same(self, metadata: dict[str, Any]) -> None:
        """An error unless the parameters of that checkpoint speak it."""


def language_of(config: PolicyConfig) -> Language:
    """The language of a policy."""
    return ChatLanguage(config) if config.weights is not None else WordLanguage(config)


def require_words(config: Config) -> None:
    """ConfigError when the built-in learner could not speak with its decoder; makes nothing."""
    if config.learner.is_built_in("learner", "decoder") and config.policy.weights is None:
        WordLanguage(config.policy)


class WordLanguage:
    """`WorldCodec` with the vocabulary that comes with the framework."""

    def __init__(self, config: PolicyConfig) -> None:
        self.vocabulary = load_vocabulary()
        rows, needed = config.decoder.vocabulary_rows, FIRST_WORD + len(self.vocabulary.words)
        if rows < needed:  # arrays are not checked, so all words without a row would share one
            raise ConfigError(
                f"policy.decoder.vocabulary_rows={rows} is less than the {needed} ids of the vocabulary; "
                f"give {self.vocabulary.rows}"
            )
        self.codec: Codec = WorldCodec(self.vocabulary)

    def digest(self) -> str:
        return self.vocabulary.digest()

    def described(self) -> dict[str, Any]:
        return {"vocabulary": self.digest(), "vocabulary_words": len(self.vocabulary.words)}

    def require_same(self, metadata: dict[str, Any]) -> None:
        """The vocabulary may have grown since."""
        self.vocabulary.require_extension_of(metadata["vocabulary"], metadata["vocabulary_words"])


class ChatLanguage:
    """`ChatCodec` of published weights."""

    def __init__(self, config: PolicyConfig) -> None:
        from policy.chat.assets import read_assets
        from policy.chat.codec import ChatCodec

        assert config.weights is not None
        assets = read_assets(config.weights)
        self._where = config.weights
        self._digest = digest([assets.tokenizer.to_str(), assets.template, assets.names, config.thinking])
        self.codec: Codec = ChatCodec(assets, config.thinking)

    def digest(self) -> str:
        return self._digest

    def described(self) -> dict[str, Any]:
        return {"vocabulary": self.digest()}

    def require_same(self, metadata: dict[str, Any]) -> None:
        """Tokenizer, template and thinking are what they were."""
        if metadata["vocabulary"] != self._digest:
            raise ConfigError(
                f"policy.weights: tokenizer or chat template of {self._where} are not those that the "
                f"checkpoint was trained with; name the weights it began with"
            )
