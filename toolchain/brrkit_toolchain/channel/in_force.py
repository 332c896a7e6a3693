"""The setting of a measurement: of a device's mechanism, or of a full-size one."""

from __future__ import annotations

from brrkit import WordBundle
from brrkit.resolve import resolve
from brrkit.setting import Setting


def setting_in_force(bundle: WordBundle, setting: Setting | None) -> Setting:
    """Return the given setting, which may be a full-size mechanism's, or the recommended one.

    Raises:
        ParameterError: none is given, and ``bundle`` recommends none; or its certificate belongs to
            another setting or bundle.
        BundleError: the recommended setting can't be run.
    """
    if setting is not None and setting.certificate is None:
        return setting  # the mechanism's constructor checks its values
    return resolve(bundle, setting)[0]
