"""Every part of a JSON Schema that validation can reach, each reference followed. Fetches nothing, matches no text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY, specification_with

from fiel.records import FielError

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def reachable(schema: dict[str, Any], draft: str) -> list[dict[str, Any]]:
    """The parts of `schema`, and the parts that they refer to, once each.

    Args:
        schema: valid for its draft.
        draft: the address of the draft's own schema.

    Raises:
        FielError: a reference to what is not in the schema, or an address that is none.
    """
    try:
        return list(_parts(schema, draft))
    except FielError:
        raise
    except (Unresolvable, LookupError, TypeError, ValueError, AttributeError) as error:
        raise FielError(
            f"The schema is invalid: an $id, $schema or $anchor in it cannot be read ({error}).",
            fix="Leave them out, or write each as a text that is an address.",
        ) from None


def _parts(schema: dict[str, Any], draft: str) -> Iterator[dict[str, Any]]:
    root: Resource[Any] = specification_with(draft).create_resource(schema)
    waiting = [(root, EMPTY_REGISTRY.resolver_with_root(root))]
    seen: set[int] = set()
    while waiting:
        resource, resolver = waiting.pop()
        part = resource.contents
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        for name in _REFERENCES:
            if name in part:
                target = _followed(resolver, part[name])
                waiting.append((specification_with(draft).create_resource(target.contents), target.resolver))
        inside = [inner for inner in resource.subresources() if isinstance(inner.contents, dict)]
        waiting += [(inner, resolver.in_subresource(inner)) for inner in inside]


def _followed(resolver: Any, reference: Any) -> Any:
    try:
        target = resolver.lookup(reference)
    except (Unresolvable, LookupError, TypeError, ValueError, AttributeError):
        target = None
    if target is None or not isinstance(target.contents, (dict, bool)):
        raise FielError(
            f"The schema refers to {reference!r}, which is not a schema in it.",
            fix="Copy the referenced schema under $defs; nothing is fetched from the network.",
        )
    return target
