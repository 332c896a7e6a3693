"""The code points that the tokenizer knows, without the platform's Unicode database.

``spec/bundle-format.md``, "Tokenizer", has the same tables.
"""

from __future__ import annotations

import re

# Inclusive ranges of code points that separate tokens. Everything else is a word character.
SEPARATORS: tuple[tuple[int, int], ...] = (
    (0x0000, 0x0026),  # controls, space, ASCII punctuation up to the apostrophe
    (0x0028, 0x002F),
    (0x003A, 0x0040),
    (0x005B, 0x0060),
    (0x007B, 0x00A9),
    (0x00AB, 0x00B4),
    (0x00B6, 0x00B9),
    (0x00BB, 0x00BF),
    (0x00D7, 0x00D7),  # multiplication sign
    (0x00F7, 0x00F7),  # division sign
    (0x02C2, 0x02C5),  # spacing modifier symbols
    (0x02D2, 0x02DF),
    (0x0375, 0x0375),  # Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation
    (0x037E, 0x037E),
    (0x0384, 0x0385),
    (0x0387, 0x0387),
    (0x055A, 0x055F),
    (0x0589, 0x058F),
    (0x05BE, 0x05BE),
    (0x05C0, 0x05C0),
    (0x05C3, 0x05C3),
    (0x05C6, 0x05C6),
    (0x05F3, 0x05F4),
    (0x0600, 0x060F),
    (0x061B, 0x061F),
    (0x066A, 0x066D),
    (0x06D4, 0x06D4),
    (0x0964, 0x0965),  # Devanagari danda
    (0x0E3F, 0x0E3F),  # Thai
    (0x0E4F, 0x0E4F),
    (0x0E5A, 0x0E5B),
    (0x1680, 0x1680),  # Ogham space
    (0x2000, 0x2018),  # general punctuation up to the right single quotation mark
    (0x201A, 0x2BFF),  # ... to currency, letterlike, arrows, mathematics, dingbats
    (0x2E00, 0x2E7F),  # supplemental punctuation
    (0x2FF0, 0x3004),  # ideographic punctuation
    (0x3008, 0x3020),
    (0x3030, 0x3030),
    (0x3036, 0x3037),
    (0x303D, 0x303F),
    (0x30A0, 0x30A0),
    (0x30FB, 0x30FB),
    (0xD800, 0xF8FF),  # surrogates and private use
    (0xFD3E, 0xFD3F),
    (0xFE00, 0xFE1F),  # variation selectors, vertical forms
    (0xFE30, 0xFE6F),  # compatibility and small forms
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFF01, 0xFF06),  # full-width punctuation
    (0xFF08, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
    (0xFFE0, 0xFFFF),
    (0x1D000, 0x1DAFF),  # musical and mathematical symbols
    (0x1F000, 0x1FBFF),  # tiles, emoji
    (0xE0000, 0x10FFFF),  # tags, private use
)

# In words, all of these become U+0027.
APOSTROPHES: tuple[int, ...] = (0x0027, 0x02B9, 0x02BB, 0x02BC, 0x02BD, 0x2019, 0xFF07)

# Accents and quotation marks that count as an apostrophe between two letters, since many type them
# so.
LOOKALIKES = "`\u00b4\u055a\u2018\u201b\u2032\uff40"

# Inclusive ranges of lower-cased letters (Latin, Greek, Cyrillic, Armenian).
LOWERCASED: tuple[tuple[int, int], ...] = (
    (0x0041, 0x058F),
    (0x1E00, 0x1FFF),
)


def _ranges(table: str) -> tuple[tuple[int, int], ...]:
    pairs = (entry.split("-") for entry in table.split())
    return tuple((int(pair[0], 16), int(pair[-1], 16)) for pair in pairs)


# Code points that composition may merge with the character before them.
MARKS = _ranges("""
0300-036F 0483-0487 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670
06D6-06DC 06DF-06E4 06E7-06E8 06EA-06ED 0711 0730-074A 093C 094D 0951-0954 09BC 09BE 09CD
09D7 0A3C 0A4D 0ABC 0ACD 0B3C 0B3E 0B4D 0B56-0B57 0BBE 0BCD 0BD7 0C4D 0C55-0C56 0CBC 0CC2
0CCD 0CD5-0CD6 0D3E 0D4D 0D57 0DCA 0DCF 0DDF 0E38-0E3A 0E48-0E4B 0EB8-0EB9 0EC8-0ECB
0F18-0F19 0F35 0F37 0F39 0F71-0F72 0F74 0F7A-0F7D 0F80 0F82-0F84 0F86-0F87 0FC6 102E 1037
1039-103A 1161-1175 11A8-11C2 17D2 17DD 302A-302F 3099-309A FB1E
""")

# Code points with which marks compose.
BASES = _ranges("""
0041-02AF 0386-0481 048A-052F 0622-064A 066E-06D5 0905-0939 0958-095F 09C7 09DC-09DD 09DF
0A33 0A36 0A59-0A5B 0A5E 0B47 0B5C-0B5D 0B92 0BC6-0BC7 0C46 0CBF 0CC6 0CCA 0D46-0D47
0DD9-0DDC 1025 1100-1112 1E00-1FFE 3046-3096 309D-30FD AC00-D7A3
""")

# Ranges with the code points that composition changes by themselves.
COMPOSED = _ranges("""
0340-0341 0343-0344 0374 0958-095F 09DC-09DF 0A33-0A36 0A59-0A5E 0B5C-0B5D 0F43-0FB9
1F71-1FFD F900-FAD9 FB1D-FB4E 2F800-2FA1D
""")

# Other forms of letters and digits: ligatures, full and half width, styled, circled, Arabic.
STYLED = _ranges("""
0132-0133 0149 01C4-01CC 01F1-01F3 2102 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2131
2133-2134 24B6-24E9 FB00-FB06 FB13-FB17 FB50-FBB1 FBD3-FC5D FC64-FD3D FD50-FD8F FD92-FDC7 FDF0-FDF9
FE80-FEFC FF10-FF19 FF21-FF3A FF41-FF5A FF66-FF9F 1D400-1D7FF 1F130-1F149
""")

# Invisible characters: soft hyphens, zero-width marks, marks of direction, and variation selectors.
INVISIBLE = _ranges("00AD 034F 061C 200B-200F 202A-202E 2060-206F FE00-FE0F FEFF E0100-E01EF")

# First code points of emoji: Unicode's Extended_Pictographic, which includes future ones.
PICTOGRAPHS = _ranges("""
00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA
24C2 25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716
271D 2721 2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF
2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F
1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A
1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F
1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
""")


def character_class(ranges: tuple[tuple[int, int], ...]) -> str:
    """Return the code points of ``ranges`` in the form for brackets in a pattern."""
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


_SEPARATOR = re.compile(f"[{character_class(SEPARATORS)}]")


def is_separator(character: str) -> bool:
    """Return whether a text is cut at this character."""
    return _SEPARATOR.fullmatch(character) is not None
