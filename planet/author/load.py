"""Authors by name: the template, a language model, or a class of one's own as `module:Class`."""

from importlib import import_module
from typing import Any

from planet.author.artifacts import Author
from planet.author.llm.author import LLMAuthor
from planet.author.template import TemplateAuthor
from planet.errors import AuthorError


def load_author(name: str, **settings: Any) -> Author:
    """The author called `name`; AuthorError when there is none, or when the class is no author.

    `settings`: keyword arguments of the class; `llm` needs at least `model`.
    """
    if name == "llm" and not settings.get("model"):
        raise AuthorError("author 'llm' needs a model; name one with --model, e.g. openai/gpt-4o")
    classes = {"template": TemplateAuthor, "llm": LLMAuthor}
    module, _, attribute = name.partition(":")
    if name not in classes and not attribute:
        raise AuthorError(f"no author {name!r}; write template, llm, or module:Class")
    try:
        made = classes[name] if name in classes else getattr(import_module(module), attribute)
        author: Author = made(**settings)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise AuthorError(f"author {name!r} cannot be made: {error}") from error
    if not callable(getattr(author, "propose", None)) or not isinstance(getattr(author, "name", None), str):
        raise AuthorError(f"author {name!r} needs a name and a method propose(link, context)")
    return author
