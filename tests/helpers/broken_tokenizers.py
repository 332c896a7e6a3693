# ruff: noqa: E501
"""Faults of a tokenizer, each as a change of the reference implementation's source.

What the format's page says differently in one place: a number, an order, a condition that is left
out. ``test_conformance.py`` makes each of them and looks whether a conformance bundle notices.
"""

from __future__ import annotations

TOKENIZER, LISTS, NUMBERS = "tokenizer", "lists", "numbers"

FAULTS: dict[str, tuple[str, str, str]] = {
    "an unknown code point costs 1,846 more": (
        TOKENIZER,
        "max(costs) + 1847",
        "max(costs) + 1846",
    ),
    "an unknown code point costs 1,848 more": (
        TOKENIZER,
        "max(costs) + 1847",
        "max(costs) + 1848",
    ),
    "an unknown code point costs 1,847 more than the largest mass": (
        TOKENIZER,
        "max(costs) + 1847",
        "min(costs) + 1847",
    ),
    "a logarithm is rounded to the nearest": (
        TOKENIZER,
        "(256 * x >> k) - 256",
        "(256 * x + (1 << k >> 1) >> k) - 256",
    ),
    "a logarithm has no fraction": (
        TOKENIZER,
        "256 * k + (256 * x >> k) - 256",
        "256 * k",
    ),
    "M is the largest mass": (
        TOKENIZER,
        "_lg(sum(map(mass, masses)))",
        "_lg(max(map(mass, masses)))",
    ),
    "masses are their bytes": (
        NUMBERS,
        "return byte if byte < 16 else",
        "return byte if byte < 256 else",
    ),
    "words of scripts without spaces have 31 code points": (
        TOKENIZER,
        "max(0, j - 32)",
        "max(0, j - 31)",
    ),
    "words of scripts without spaces have any length": (
        TOKENIZER,
        "max(0, j - 32)",
        "0",
    ),
    "of equal cuts the last begins later": (
        TOKENIZER,
        "least, i = min(options)",
        "least, i = min(options, key=lambda o: (o[0], -o[1]))",
    ),
    "a stretch is one part": (
        TOKENIZER,
        "range(0, len(stretch), 1024)",
        "range(0, len(stretch), 1 << 30)",
    ),
    "a part has 1,023 code points": (
        TOKENIZER,
        "for start in range(0, len(stretch), 1024):\n        part = stretch[start : start + 1024]",
        "for start in range(0, len(stretch), 1023):\n        part = stretch[start : start + 1023]",
    ),
    "each unknown code point is a token": (
        TOKENIZER,
        'yield from words if known else ["".join(words)]',
        "yield from words",
    ),
    "the longest word is taken": (
        TOKENIZER,
        "least, i = min(options)",
        "least, i = min(options, key=lambda o: o[1])",
    ),
    "joiners stay at a stretch's ends": (
        TOKENIZER,
        'stretch.strip("".join(joiners))',
        "stretch",
    ),
    "a run isn't divided": (
        TOKENIZER,
        "groupby(run, inside)",
        "groupby(run, lambda c: inside(run[0]))",
    ),
    "unspaced ranges lack their last code point": (
        TOKENIZER,
        "first <= ord(character) <= last",
        "first <= ord(character) < last",
    ),
    "unspaced ranges lack their first code point": (
        TOKENIZER,
        "first <= ord(character) <= last",
        "first < ord(character) <= last",
    ),
    "styled letters stay": (
        TOKENIZER,
        'return unicodedata.normalize("NFKD", character) if ord(character) in _STYLED else character',
        "return character",
    ),
    "styled is all that Unicode calls so": (
        TOKENIZER,
        "if ord(character) in _STYLED else character",
        "if True else character",
    ),
    "invisible code points stay": (
        TOKENIZER,
        "if ord(character) in _INVISIBLE:",
        "if False:",
    ),
    "what is replaced is made plain first": (
        TOKENIZER,
        'if character in writing["replaced"] or character in writing["joiners"]:',
        'if character in writing["joiners"]:',
    ),
    "joiners are made plain": (
        TOKENIZER,
        'if character in writing["replaced"] or character in writing["joiners"]:',
        'if character in writing["replaced"]:',
    ),
    "nothing is composed before it is replaced": (
        TOKENIZER,
        'text = _composed("".join(_plain(character, writing) for character in text))',
        'text = "".join(_plain(character, writing) for character in text)',
    ),
    "nothing is composed behind": (
        TOKENIZER,
        "_composed(_with_final_sigma(text))",
        "_with_final_sigma(text)",
    ),
    "a whole text is composed": (
        TOKENIZER,
        '    result, at = "", 0\n',
        '    return unicodedata.normalize("NFC", text)\n    result, at = "", 0\n',
    ),
    "29 marks are a piece": (
        TOKENIZER,
        "while size < 30 and",
        "while size < 29 and",
    ),
    "31 marks are a piece": (
        TOKENIZER,
        "while size < 30 and",
        "while size < 31 and",
    ),
    "marks alone aren't composed": (
        TOKENIZER,
        "size = 1 + size if size else _marks_at(text, at)",
        "size = 1 + size if size else 0",
    ),
    "single code points aren't composed": (
        TOKENIZER,
        "if not size and ord(text[at]) in _COMPOSED:",
        "if False:",
    ),
    "replaced isn't replaced": (
        TOKENIZER,
        'writing["replaced"].get(character, character)',
        "character",
    ),
    "letters are lowered before they are replaced": (
        TOKENIZER,
        '    text = "".join(writing["replaced"].get(character, character) for character in text)\n    text = "".join(map(_lowered, text))',
        '    text = "".join(map(_lowered, text))\n    text = "".join(writing["replaced"].get(character, character) for character in text)',
    ),
    "a dotted I keeps its dot": (
        TOKENIZER,
        'if character == "\\u0130":',
        'if character == "":',
    ),
    "all letters are lowered": (
        TOKENIZER,
        "if ord(character) not in _LOWERCASED:",
        "if False:",
    ),
    "no final sigma": (
        TOKENIZER,
        "_composed(_with_final_sigma(text))",
        "_composed(text)",
    ),
    "final sigma behind no Greek": (
        TOKENIZER,
        "is_greek(place - 1) and not is_greek(place + 1)",
        "not is_greek(place + 1)",
    ),
    "final sigma before Greek": (
        TOKENIZER,
        "is_greek(place - 1) and not is_greek(place + 1)",
        "is_greek(place - 1)",
    ),
    "final sigma by any letter": (
        TOKENIZER,
        "return 0 <= place < len(text) and ord(text[place]) in _GREEK",
        "return 0 <= place < len(text) and text[place].isalpha()",
    ),
    "marks aren't Greek": (
        TOKENIZER,
        '"0300-0373 0386 0388-03FF 1F00-1FFF"',
        '"0370-0373 0386 0388-03FF 1F00-1FFF"',
    ),
    "U+0387 is Greek": (
        TOKENIZER,
        '"0300-0373 0386 0388-03FF 1F00-1FFF"',
        '"0300-03FF 1F00-1FFF"',
    ),
    "old accents aren't Greek": (
        TOKENIZER,
        '"0300-0373 0386 0388-03FF 1F00-1FFF"',
        '"0300-0373 0386 0388-03FF"',
    ),
    "look-alikes stay": (
        TOKENIZER,
        'return _with_apostrophes(_composed(_with_final_sigma(text)), writing["joiners"])',
        "return _composed(_with_final_sigma(text))",
    ),
    "look-alikes at a word's end are apostrophes": (
        TOKENIZER,
        "return look_alike and is_word(place - 1) and is_word(place + 1)",
        "return look_alike and is_word(place - 1)",
    ),
    "look-alikes at a word's beginning are apostrophes": (
        TOKENIZER,
        "return look_alike and is_word(place - 1) and is_word(place + 1)",
        "return look_alike and is_word(place + 1)",
    ),
    "look-alikes that join are apostrophes": (
        TOKENIZER,
        "ord(text[place]) in _LOOKALIKES and text[place] not in joiners",
        "ord(text[place]) in _LOOKALIKES",
    ),
    "look-alikes are seen before the text is composed": (
        TOKENIZER,
        'return _with_apostrophes(_composed(_with_final_sigma(text)), writing["joiners"])',
        'return _composed(_with_apostrophes(_with_final_sigma(text), writing["joiners"]))',
    ),
    "joiners join at a run's ends": (
        TOKENIZER,
        "(text[place] in joiners and before and behind)",
        "(text[place] in joiners)",
    ),
    "joiners separate": (
        TOKENIZER,
        "(text[place] in joiners and before and behind)",
        "False",
    ),
    "apostrophes alone are a token": (
        TOKENIZER,
        'if not set(stretch) - {"\'", *lexicon.writing["joiners"]}:',
        "if not stretch:",
    ),
    "what has 256 code points is taken whole": (
        TOKENIZER,
        "if len(stretch) > 256 or",
        "if len(stretch) > 255 or",
    ),
    "what has 257 code points is cut": (
        TOKENIZER,
        "if len(stretch) > 256 or",
        "if len(stretch) > 257 or",
    ),
    "what is long is cut": (
        TOKENIZER,
        "if len(stretch) > 256 or look_up(stretch, lexicon) is not None:",
        "if look_up(stretch, lexicon) is not None:",
    ),
    "known words are cut": (
        TOKENIZER,
        "if len(stretch) > 256 or look_up(stretch, lexicon) is not None:",
        "if len(stretch) > 256:",
    ),
    "apostrophes hide what comes before": (
        TOKENIZER,
        'r = stretch.lstrip("\'")',
        "r = stretch",
    ),
    "the shortest of before": (
        TOKENIZER,
        'sorted(lexicon.writing["before"], key=len, reverse=True)',
        'sorted(lexicon.writing["before"], key=len)',
    ),
    "the first of before": (
        TOKENIZER,
        'sorted(lexicon.writing["before"], key=len, reverse=True)',
        'lexicon.writing["before"]',
    ),
    "seven of before": (
        TOKENIZER,
        "given < 8",
        "given < 7",
    ),
    "any number of before": (
        TOKENIZER,
        "given < 8",
        "given < 99",
    ),
    "before of nothing": (
        TOKENIZER,
        'r.startswith(first) and set(rest) - {"\'"}',
        "r.startswith(first) and rest",
    ),
    "behind eight of before nothing is cut": (
        TOKENIZER,
        'return _compound(r.rstrip("\'"), lexicon) or [stretch]',
        'return (given < 8 and _compound(r.rstrip("\'"), lexicon)) or [stretch]',
    ),
    "the rest isn't looked up": (
        TOKENIZER,
        "return [first, *_spaced(rest, lexicon, given + 1)]",
        "return [first, rest]",
    ),
    "apostrophes end compounds": (
        TOKENIZER,
        '_compound(r.rstrip("\'"), lexicon)',
        "_compound(r, lexicon)",
    ),
    "tokens lose their apostrophes": (
        TOKENIZER,
        "lexicon) or [stretch]",
        "lexicon) or [r]",
    ),
    "compounds stay whole": (
        TOKENIZER,
        '_compound(r.rstrip("\'"), lexicon) or [stretch]',
        "[stretch]",
    ),
    "of equal compounds the shortest first part": (
        TOKENIZER,
        "-end, number)\n",
        "end, number)\n",
    ),
    "the link that is later": (
        TOKENIZER,
        "costs[string[end + len(link) :]], -end, number)",
        "costs[string[end + len(link) :]], -end, -number)",
    ),
    "compounds by the longest first part": (
        TOKENIZER,
        "(costs[string[:end]] + costs[string[end + len(link) :]], -end, number)",
        "(0, -end, number)",
    ),
    "compounds by the first part's cost": (
        TOKENIZER,
        "(costs[string[:end]] + costs[string[end + len(link) :]], -end, number)",
        "(costs[string[:end]], -end, number)",
    ),
    "first parts may be shorter": (
        TOKENIZER,
        "for end in range(shortest, len(string))",
        "for end in range(1, len(string))",
    ),
    "second parts may be shorter": (
        TOKENIZER,
        "and len(string) - end - len(link) >= shortest",
        "and len(string) - end - len(link) >= 1",
    ),
    "parts are longer": (
        TOKENIZER,
        "for end in range(shortest, len(string))",
        "for end in range(shortest + 1, len(string))",
    ),
    "second parts are longer": (
        TOKENIZER,
        "and len(string) - end - len(link) >= shortest",
        "and len(string) - end - len(link) > shortest",
    ),
    "a long token has other candidates": (
        TOKENIZER,
        "    if len(t) > 256:\n        return [t]\n",
        "",
    ),
    "a token of 256 has one candidate": (
        TOKENIZER,
        "if len(t) > 256:\n",
        "if len(t) > 255:\n",
    ),
    "tokens aren't normalized again": (
        TOKENIZER,
        "t = normalize(token, writing)",
        "t = token",
    ),
    "the token as it stands is no candidate": (
        TOKENIZER,
        "candidates = [t, u, ",
        "candidates = [u, ",
    ),
    "apostrophes at ends stay": (
        TOKENIZER,
        'u = t.strip("\'")',
        "u = t",
    ),
    "one apostrophe at each end goes": (
        TOKENIZER,
        'u = t.strip("\'")',
        'u = t.removeprefix("\'").removesuffix("\'")',
    ),
    "apostrophes go at the end only": (
        TOKENIZER,
        'u = t.strip("\'")',
        'u = t.rstrip("\'")',
    ),
    "what is rewritten is so once": (
        TOKENIZER,
        "u.replace(a, b)",
        "u.replace(a, b, 1)",
    ),
    "nothing is rewritten": (
        TOKENIZER,
        'candidates = [t, u, *(u.replace(a, b) for a, b in writing["rewritten"] if a in u)]',
        "candidates = [t, u]",
    ),
    "what is rewritten in the other order": (
        TOKENIZER,
        'for a, b in writing["rewritten"] if a in u',
        'for a, b in reversed(writing["rewritten"]) if a in u',
    ),
    "seven endings": (
        TOKENIZER,
        "for _ in range(8):",
        "for _ in range(7):",
    ),
    "nine endings": (
        TOKENIZER,
        "for _ in range(8):",
        "for _ in range(9):",
    ),
    "stems may be shorter": (
        TOKENIZER,
        '>= writing["shortest_stem"]',
        '>= writing["shortest_stem"] - 1',
    ),
    "stems are longer": (
        TOKENIZER,
        '>= writing["shortest_stem"]',
        '> writing["shortest_stem"]',
    ),
    "the shortest ending first": (
        TOKENIZER,
        "left.sort(key=len)",
        "left.sort(key=len, reverse=True)",
    ),
    "endings as they are listed": (
        TOKENIZER,
        "            left.sort(key=len)\n",
        "",
    ),
    "the longest ending only": (
        TOKENIZER,
        "candidates += left\n",
        "candidates += left[:1]\n",
    ),
    "endings behind a spelling": (
        TOKENIZER,
        "return [*filter(None, candidates), spellings[r]]",
        "candidates.append(spellings[r])",
    ),
    "other forms behind a spelling": (
        TOKENIZER,
        "return [*filter(None, candidates), spellings[r]]",
        "candidates.append(spellings[r])\n                break",
    ),
    "digits behind a spelling": (
        TOKENIZER,
        "return [*filter(None, candidates), spellings[r]]",
        'return [*candidates, spellings[r], spellings.get("".join("0" if c in "0123456789" else c for c in u), "")]',
    ),
    "no spellings": (
        TOKENIZER,
        "if r in spellings:",
        "if False:",
    ),
    "spellings of whole tokens only": (
        TOKENIZER,
        "if r in spellings:",
        "if r == u and r in spellings:",
    ),
    "no spellings of cut forms": (
        TOKENIZER,
        "if r in spellings:",
        "if u.startswith(r) and r in spellings:",
    ),
    "spellings first": (
        TOKENIZER,
        "candidates = [t, u, ",
        'candidates = [writing["spellings"].get(u, ""), t, u, ',
    ),
    "long runs stay": (
        TOKENIZER,
        "if longest else [u]",
        "if False else [u]",
    ),
    "long runs are cut where any number may be": (
        TOKENIZER,
        "if longest else [u]",
        "if True else [u]",
    ),
    "long runs are one longer": (
        TOKENIZER,
        "len(run) > longest and",
        "len(run) > longest + 1 and",
    ),
    "long runs are one shorter": (
        TOKENIZER,
        "len(run) > longest and",
        "len(run) >= longest and",
    ),
    "long runs are cut to one first": (
        TOKENIZER,
        "(u, cut_to(longest), cut_to(1))",
        "(u, cut_to(1), cut_to(longest))",
    ),
    "long runs are cut to one only": (
        TOKENIZER,
        "(u, cut_to(longest), cut_to(1))",
        "(u, cut_to(1))",
    ),
    "long runs aren't cut to one": (
        TOKENIZER,
        "(u, cut_to(longest), cut_to(1))",
        "(u, cut_to(longest))",
    ),
    "long runs are cut to two": (
        TOKENIZER,
        "(u, cut_to(longest), cut_to(1))",
        "(u, cut_to(2), cut_to(1))",
    ),
    "every run is cut": (
        TOKENIZER,
        "run[:size] if is_long(run) else run for",
        "run[:size] for",
    ),
    "the longest run is cut only": (
        TOKENIZER,
        "len(run) > longest and",
        "len(run) == max(map(len, runs)) and",
    ),
    "runs of digits are cut": (
        TOKENIZER,
        ' and run[0] not in "0123456789"',
        "",
    ),
    "cut forms keep their endings": (
        TOKENIZER,
        "        for _ in range(8):",
        "        for _ in range(8 if r == u else 0):",
    ),
    "a cut form is no candidate": (
        TOKENIZER,
        "        candidates.append(form)\n        r = form\n        for _",
        "        r = form\n        for _",
    ),
    "digits stay": (
        TOKENIZER,
        'spellings.get(masked, "")',
        '""',
    ),
    "digits of other scripts are masked": (
        TOKENIZER,
        'if character in "0123456789"',
        "if character.isdigit()",
    ),
    "the 9 isn't masked": (
        TOKENIZER,
        'if character in "0123456789"',
        'if character in "012345678"',
    ),
    "digits in a row are one": (
        TOKENIZER,
        'masked = "".join("0" if character in "0123456789" else character for character in u)',
        'masked = "".join(("" if u[:i][-1:].isdigit() else "0") if c in "0123456789" else c for i, c in enumerate(u))',
    ),
    "digits are masked first": (
        TOKENIZER,
        "    for form in _forms(",
        '    masked = "".join("0" if c in "0123456789" else c for c in u)\n    if masked in spellings and u not in spellings:\n        candidates.append(spellings[masked])\n    for form in _forms(',
    ),
    "digits of a cut form are masked": (
        TOKENIZER,
        'masked = "".join("0" if character in "0123456789" else character for character in u)',
        'masked = "".join("0" if character in "0123456789" else character for character in _forms(u, writing["longest_run"])[-1])',
    ),
    "digits are masked behind an ending": (
        TOKENIZER,
        'masked = "".join("0" if character in "0123456789" else character for character in u)',
        'masked = "".join("0" if character in "0123456789" else character for character in r)',
    ),
    "digits of the whole token are masked": (
        TOKENIZER,
        'masked = "".join("0" if character in "0123456789" else character for character in u)',
        'masked = "".join("0" if character in "0123456789" else character for character in t)',
    ),
    "a text is finished behind any separator": (
        TOKENIZER,
        'if not last or ord(last) in _LOOKALIKES or last in writing["joiners"]:',
        "if not last:",
    ),
    "a text is finished behind a joiner": (
        TOKENIZER,
        'if not last or ord(last) in _LOOKALIKES or last in writing["joiners"]:',
        "if not last or ord(last) in _LOOKALIKES:",
    ),
    "a text is finished behind a look-alike": (
        TOKENIZER,
        'if not last or ord(last) in _LOOKALIKES or last in writing["joiners"]:',
        'if not last or last in writing["joiners"]:',
    ),
    "a text is finished behind the first separator": (
        TOKENIZER,
        "for end in range(len(text), 0, -1):",
        "for end in range(1, len(text) + 1):",
    ),
    "phrases have seven units": (
        LISTS,
        "units[:8]",
        "units[:7]",
    ),
    "phrases have nine units": (
        LISTS,
        "units[:8]",
        "units[:9]",
    ),
    "the shortest phrase": (
        LISTS,
        "range(len(texts), 1, -1)",
        "range(2, len(texts) + 1)",
    ),
    "phrases overlap": (
        LISTS,
        "units = units[size:]",
        "units = units[1:]",
    ),
    "phrases are of words": (
        LISTS,
        "texts = [unit for unit, _ in units[:8]]",
        "texts = [word or unit for unit, word in units[:8]]",
    ),
    "flags are one letter": (
        LISTS,
        "        return 2\n    if points[0] in _KEYS",
        "        return 1\n    if points[0] in _KEYS",
    ),
    "no flags": (
        LISTS,
        "if len(points) > 1 and points[0] in _LETTERS and points[1] in _LETTERS:",
        "if False:",
    ),
    "keys without a selector only": (
        LISTS,
        "size = 2 if len(points) > 1 and points[1] in _SELECTORS else 1",
        "size = 1",
    ),
    "no keys": (
        LISTS,
        "if points[0] in _KEYS:",
        "if False:",
    ),
    "one joiner": (
        LISTS,
        "while size and size < len(points) and points[size] == _JOINER:",
        "for _ in range(1 if size and size < len(points) and points[size] == _JOINER else 0):",
    ),
    "selectors stay": (
        LISTS,
        'unit = "".join(c for c in emoji if ord(c) not in _SELECTORS)',
        "unit = emoji",
    ),
    "tones stay": (
        LISTS,
        "for each in (unit, toneless)",
        "for each in (unit,)",
    ),
    "tones go first": (
        LISTS,
        "for each in (unit, toneless)",
        "for each in (toneless, unit)",
    ),
    "tags aren't an element's": (
        LISTS,
        '| code_points("E0020-E007F")',
        "",
    ),
    "one code point behind an element": (
        LISTS,
        "while size < len(points) and points[size] in _BEHIND:",
        "if size < len(points) and points[size] in _BEHIND:",
    ),
    "a string alone is its first token": (
        LISTS,
        "return found[0][1] if len(found) == 1 else None",
        "return found[0][1] if found else None",
    ),
}
