"""HTML pages from templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render_page(
    template: str,
    filters: Mapping[str, Callable[..., str]],
    *,
    package: str | None = None,
    **values: Any,
) -> str:
    """Return a self-contained page, which needs no script and no network.

    Args:
        template: name of the template's file.
        filters: filters for the template, by name.
        package: package whose folder has the template; by default, and for included templates,
            ``templates``.
        **values: values for the template, in addition to brrkit's ``version``.
    """
    loaders = [PackageLoader(__package__, "templates")]
    if package is not None:
        loaders.insert(0, PackageLoader(package, ""))
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment.get_template(template).render(version=version("brrkit"), **values)
