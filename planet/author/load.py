"""Authors by name: the template, or a class of one's own as `module:Class`."""

from importlib import import_module

from planet.author.artifacts import Author
from planet.author.template import TemplateAuthor
from planet.errors import AuthorError


def load_author(name: str) -> Author:
    """The author called `name`; AuthorError when there is none, or when the class is no author."""
    if name == "template":
        return TemplateAuthor()
    module, _, attribute = name.partition(":")
    if not attribute:
        raise AuthorError(f"no author {name!r}; write template, or module:Class")
    try:
        author = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise AuthorError(f"author {name!r} cannot be made: {error}") from error
    if not callable(getattr(author, "propose", None)) or not isinstance(getattr(author, "name", None), str):
        raise AuthorError(f"author {name!r} needs a name and a method propose(link, context)")
    return author
