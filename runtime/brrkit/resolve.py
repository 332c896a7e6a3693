"""The setting in force on a bundle: the given one, or else the recommended one."""

from __future__ import annotations

from brrkit.bundle import MANIFEST, WordBundle, check_codes
from brrkit.errors import BundleError, NoSettingError, ParameterError
from brrkit.exact import check_cap
from brrkit.mechanisms import Mechanism, create_mechanism
from brrkit.mechanisms.exponential import BIGRAM, Exponential
from brrkit.setting import CountsSetting, Frames, Setting, check_frames, check_words_a_day


def resolve(bundle: WordBundle, setting: Setting | None = None) -> tuple[Setting, Mechanism]:
    """Return the setting for text that is in force, and its mechanism.

    Args:
        bundle: an opened bundle.
        setting: the given one. None for the one that ``bundle`` recommends, all of it.

    Raises:
        NoSettingError: none is given, and the bundle recommends none.
        ParameterError: a value of the given setting is unknown or out of range, its certificate is
            of another setting or bundle, or the bundle is a list.
        BundleError: the recommended setting isn't one that this version can run.
    """
    if setting is not None:
        return setting, _checked(bundle, setting)
    check_codes(bundle)
    recommended = bundle.recommended
    if recommended is None:
        raise NoSettingError(
            "the bundle recommends no setting; give one, or write one into the bundle with "
            "'brr calibrate --write'"
        )
    try:
        return recommended, _checked(bundle, recommended)
    except ParameterError as error:
        raise BundleError(
            f"{bundle.path / MANIFEST}: field 'recommended': {error}; write it again with "
            "'brr calibrate --write'"
        ) from None


def resolve_counts(bundle: WordBundle, setting: CountsSetting | None = None) -> CountsSetting:
    """Return the setting for counts that is in force.

    Args:
        bundle: an opened bundle.
        setting: the given one. None for the one that ``bundle`` recommends for counts.

    Raises:
        ParameterError: a value is out of range; or none is given, and the bundle recommends none.
    """
    if setting is None:
        setting = bundle.counts  # checked when the bundle was opened
        if setting is None:
            raise ParameterError(
                "the bundle recommends no setting for counts; give one, or write one into the "
                "bundle with 'brr calibrate --for counts --write'"
            )
    check_cap(setting.cap)
    check_words_a_day(setting.words_a_day)
    return setting


def resolve_frames(bundle: WordBundle, frames: Frames | None = None) -> Frames:
    """Return the shape of a day of text that is in force.

    Args:
        bundle: an opened bundle.
        frames: the given one. None for the bundle's.

    Raises:
        ParameterError: a value is out of range; or none is given, and the bundle has none.
    """
    if frames is not None:
        return check_frames(frames)
    if bundle.frames is None:
        raise ParameterError(
            "the bundle has no frames; give Frames(words=8, a_day=8), or write them into the "
            "bundle with 'brr calibrate --frames 8 --write'"
        )
    return bundle.frames


def _checked(bundle: WordBundle, setting: Setting) -> Mechanism:
    mechanism = create_mechanism(bundle, setting)
    certificate, epsilon = setting.certificate, setting.epsilon
    if certificate is None:
        return mechanism
    if not isinstance(mechanism, Exponential):
        raise ParameterError(
            f"a certificate is for mechanism 'exponential', not {setting.mechanism!r}"
        )
    if mechanism.base == BIGRAM:
        raise ParameterError("base 'bigram' has no certificate")
    if certificate.index != bundle.digest:
        raise ParameterError("its certificate belongs to another index.safetensors")
    if certificate.of != setting.as_run:
        raise ParameterError("its certificate belongs to another setting; leave it out")
    if not epsilon / 2 <= certificate.certified_epsilon <= epsilon:
        raise ParameterError("its certified_epsilon isn't from epsilon / 2 to epsilon")
    return mechanism
