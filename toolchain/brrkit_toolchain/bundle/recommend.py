"""Write recommended settings, for text or for counts, and frames into a bundle's manifest."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from brrkit.bundle import INDEX, MANIFEST, RANDOMIZER, check_content, read_manifest
from brrkit.errors import BundleError, ParameterError
from brrkit.setting import CountsSetting, Frames, Setting, check_frames
from brrkit_toolchain.bundle.writer import NOT_SHIPPED, encode_manifest, write_bundle
from brrkit_toolchain.io.files import read_input

_FILES = (INDEX, RANDOMIZER, *NOT_SHIPPED)

_BY_ENCODE_MANIFEST = ("format", "format_version", "files", "sha256")


def write_recommended(
    folder: str | os.PathLike[str], *settings: Setting | CountsSetting | Frames
) -> None:
    """Write the settings that ``Privatizer``, ``Counts`` and ``TextReporter`` use by default.

    The bundle is replaced at once or not at all. Only its manifest changes.

    Args:
        folder: the bundle's directory; ``parity.json`` and ``tasks.npz`` may be missing, as in an
            app.
        settings: settings for text and for counts, each with a goal in words; frames of text.

    Raises:
        ParameterError: a setting has no goal, or the certificate of another setting; frames are out
            of range; or the bundle is a list.
        BundleError: the bundle is damaged or incomplete.
        OutputError: the bundle can't be replaced.
    """
    stated = dict(map(_field, settings))
    folder = Path(folder).resolve()
    manifest = read_manifest(folder)
    if "frames" in stated and not manifest["bits"]:
        raise ParameterError("a list's strings can only be counted: it has no frames")
    files = {}
    for name in [each for each in _FILES if each in manifest["files"]]:
        try:
            files[name] = read_input(folder / name)
        except OSError as error:
            if name in NOT_SHIPPED and isinstance(error, FileNotFoundError):
                continue
            raise BundleError(
                f"{folder / name}: can't be read ({error.strerror}); rebuild the bundle"
            ) from None
        check_content(folder / name, files[name], manifest)
    fields = {name: value for name, value in manifest.items() if name not in _BY_ENCODE_MANIFEST}
    fields |= stated
    missing = {
        name: manifest["files"][name]
        for name in NOT_SHIPPED
        if name in manifest["files"] and name not in files
    }
    content = encode_manifest(fields, files, missing=missing)
    write_bundle(folder, {MANIFEST: content, **files}, force=True)


def _field(setting: Setting | CountsSetting | Frames) -> tuple[str, dict[str, Any]]:
    """Return the name of a setting's field, and its content by ``spec/bundle-format.md``."""
    if isinstance(setting, Frames):
        return "frames", check_frames(setting).to_json()
    if setting.goal is None:
        raise ParameterError("a bundle states the goal of its setting; give a goal")
    if isinstance(setting, CountsSetting):
        return "counts", asdict(setting)
    return "recommended", _of_text(setting)


def _of_text(setting: Setting) -> dict[str, Any]:
    stated: dict[str, Any] = {**setting.stated, "goal": setting.goal}
    if setting.certificate is not None:
        # The manifest doesn't name the certificate's setting; readers assume this one.
        if setting.certificate.of != setting.as_run:
            raise ParameterError("its certificate belongs to another setting; leave it out")
        stated["certificate"] = setting.certificate.to_json()
    if setting.measured is not None:
        stated["measured"] = asdict(setting.measured)
    return stated
