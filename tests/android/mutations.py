"""Break the Kotlin libraries on purpose, one place at a time: a test must fail each time.

    python tests/android/mutations.py [--list] [NAME ...]

Takes about a minute for each; needs a JDK 17 and Maven. Each mutation is made in a copy of
``android_demo``, and only the tests of one class run. Prints who killed what, and exits with 1 if
one survives. What ``make test`` runs is the tests; this is for whoever changes them, and
``test_kotlin_mutations.py`` holds the list against the code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import Mutation, try_all

ROOT = Path(__file__).parents[2]


def _runtime(file: str, right: str, wrong: str, tests: str) -> Mutation[tuple[str, str]]:
    """Return a mutation; its tests are a module and a class."""
    return Mutation(f"brr/src/main/kotlin/org/brrkit/{file}", right, wrong, ("brr", tests))


def _keyboard(file: str, right: str, wrong: str, tests: str) -> Mutation[tuple[str, str]]:
    path = f"brr-keyboard/src/main/kotlin/org/brrkit/keyboard/{file}"
    return Mutation(path, right, wrong, ("brr-keyboard", tests))


def _demo(file: str, right: str, wrong: str, tests: str) -> Mutation[tuple[str, str]]:
    path = f"keyboard/src/main/kotlin/org/brrkit/demo/{file}"
    return Mutation(path, right, wrong, ("keyboard", tests))


def _through_demo(file: str, right: str, wrong: str, tests: str) -> Mutation[tuple[str, str]]:
    """Return a mutation of the keyboard library that the demo's tests notice."""
    path = f"brr-keyboard/src/main/kotlin/org/brrkit/keyboard/{file}"
    return Mutation(path, right, wrong, ("keyboard", tests))


MUTATIONS = {
    "predictable source": _runtime(
        "Randomness.kt",
        "internal val source: SecureRandom = SecureRandom()",
        "internal val source: java.util.Random = java.util.Random(42)",
        "RandomnessTest",
    ),
    "constant source": _runtime(
        "Randomness.kt",
        "source.nextBytes(bytes)",
        "bytes.fill(7)",
        "RandomnessTest",
    ),
    "texts paid one by one": _runtime(
        "Privatizer.kt",
        "released(texts.map(::tokenize)).map { spelled(it).joinToString",
        "texts.map { words(tokenize(it)) }.map { it.joinToString",
        "PrivatizerTest",
    ),
    "a call word by word": _runtime(
        "Privatizer.kt",
        "spelled(released(listOf(words))[0])",
        "stream().let { words.mapNotNull(it::word) }",
        "GoldenCasesTest",
    ),
    "unknown words of all texts first": _runtime(
        "Privatizer.kt",
        "val found = ids.zip(paidSources(words, ids)).iterator()",
        "val found = ids.map {\n"
        "            if (it >= 0 || oov != Oov.RANDOM) it\n"
        "            else uniformBelow(bundle.size.toLong(), random).toInt()\n"
        "        }.zip(paidSources(words, ids)).iterator()",
        "GoldenCasesTest",
    ),
    "a text that ends at a word that is left out": _runtime(
        "Privatizer.kt",
        "if (released.isEmpty()) return null\n",
        "if (released.isEmpty()) return null.also { before = Masses.NONE }\n",
        "GoldenCasesTest",
    ),
    "a place before the next word": _keyboard(
        "Reporter.kt",
        "            prepared.counts.words(words)\n",
        "            object : AbstractList<String>() { // drawn when it is looked at\n"
        "                override val size = words.size\n"
        "                override fun get(index: Int) = prepared.counts.word(words[index])\n"
        "            }\n",
        "ReporterTest",
    ),
    "cost rounded down": _runtime(
        "PrivacyBudget.kt",
        "inUnits(epsilon, RoundingMode.CEILING)",
        "inUnits(epsilon, RoundingMode.FLOOR)",
        "PrivacyBudgetTest",
    ),
    "limit rounded up": _runtime(
        "PrivacyBudget.kt",
        "inUnits(limit, RoundingMode.FLOOR)",
        "inUnits(limit, RoundingMode.CEILING)",
        "PrivacyBudgetTest",
    ),
    "a lease after its period": _runtime(
        "Lease.kt", " && period.at(now).elapsed < length", "", "PrivacyBudgetTest"
    ),
    "a lease in the next period": _runtime(
        "PrivacyBudget.kt",
        "lease.unit == unit && period.continues(lease.period)",
        "unit.isEmpty() || lease.unit == unit",
        "PrivacyBudgetTest",
    ),
    "a lease after a restart": _runtime(
        "Lease.kt", " && period.isOf(now)", "", "PrivacyBudgetTest"
    ),
    "a lease of another unit": _runtime(
        "Lease.kt", " && unit == this.unit", "", "PrivacyBudgetTest"
    ),
    "a lease of all that is left": _runtime(
        "Lease.kt", "released.min(left / SHARE)", "released.min(left)", "PrivacyBudgetTest"
    ),
    "a lease that isn't used up": _runtime(
        "Lease.kt", "        stored -= cost\n", "", "PrivacyBudgetTest"
    ),
    "threads without a lock": _runtime(
        "PrivacyBudget.kt",
        "        synchronized(own) {\n            val each",
        "        synchronized(Any()) {\n            val each",
        "PrivacyBudgetTest",
    ),
    "state not flushed": _runtime(
        "StateFile.kt", "                    it.force(true)\n", "", "PrivacyBudgetTest"
    ),
    "directory not flushed": _runtime(
        "StateFile.kt", ".use { it.force(true) }", ".use { }", "PrivacyBudgetTest"
    ),
    "thresholds in doubles": _runtime(
        "Exact.kt",
        """    settle(checkEpsilon(epsilon).toRational()) { e, precision ->
        ceilDiv(BigInteger.ONE shl 32 + precision, (BigInteger.ONE shl precision) + e)
    }.toLong()""",
        "    Math.ceil(4294967296.0 / (1 + Math.exp(checkEpsilon(epsilon)))).toLong()",
        "GoldenCasesTest",
    ),
    "Vickrey's boundary": _runtime(
        "mechanisms/Vickrey.kt",
        "while (number >= weights[rank])",
        "while (number > weights[rank])",
        "GoldenCasesTest",
    ),
    "radius ignored": _runtime("Exact.kt", "distance < radius", "distance < 0", "GoldenCasesTest"),
    "radius one too large": _runtime(
        "Exact.kt", "distance < radius", "distance <= radius", "GoldenCasesTest"
    ),
    "radius of a manifest unchecked": _runtime(
        "Setting.kt",
        "(radius !is Long || radius !in 0..bits)",
        "radius !is Long",
        "HostileBundlesTest",
    ),
    "cap ignored": _runtime("Exact.kt", "maxOf(next, least)", "maxOf(next, 0)", "GoldenCasesTest"),
    "cap of half the exponent": _runtime(
        "Exact.kt", "checkCap(cap).toRational() / 2", "checkCap(cap).toRational()", "BaseTest"
    ),
    "normalizer of another base": _runtime(
        "mechanisms/Exponential.kt", "masses.most(this.base)", "masses.most(Base.WORDS)", "BaseTest"
    ),
    "history never": _runtime(
        "mechanisms/Exponential.kt",
        "release(codes[place], random, last)",
        "release(codes[place], random, before)",
        "StreamTest",
    ),
    "history from texts before": _runtime(
        "Privatizer.kt",
        "mechanism.release(listOf(bundle.codes[id]), source, Masses.NONE)",
        "mechanism.release(listOf(bundle.codes[id]), source, before)",
        "GoldenCasesTest",
    ),
    "history of a first draw's": _runtime(
        "Privatizer.kt",
        "second.release(first.map(bundle.codes::get), random, before)",
        "second.release(first.map(bundle.codes::get), random, first.last())",
        "GoldenCasesTest",
    ),
    "stream that forgets": _runtime(
        "Privatizer.kt", "            before = released[0]\n", "", "StreamTest"
    ),
    "gains left out of a draw": _runtime(
        "HammingIndex.kt", "left -= measure.gain(place)", "left -= 0", "BaseTest"
    ),
    "gains at another place": _runtime(
        "HammingIndex.kt",
        "lanes[distances[i]] += measure.gain(place++)",
        "lanes[distances[0]] += measure.gain(place++)",
        "BaseTest",
    ),
    "masses of 0 unchecked": _runtime("Masses.kt", "if (byte == 0) return null\n", "", "BaseTest"),
    "missing words unchecked": _runtime(
        "Masses.kt", "isKnown && second < size", "isKnown", "BaseTest"
    ),
    "pairs unchecked": _runtime(
        "Masses.kt", "ascends && pair > last", "ascends && pair >= last", "BaseTest"
    ),
    "sums unchecked": _runtime(
        "Masses.kt", "most(Base.LANGUAGE) > MOST", "total > MOST", "BaseTest"
    ),
    "certificate of a history": _runtime(
        "Privatizer.kt", "if (sampler.base == Base.LANGUAGE) {", "if (false) {", "PrivatizerTest"
    ),
    "memory of another base": _runtime(
        "mechanisms/Exponential.kt",
        "(if (this@Exponential.base == Base.UNIFORM) 0 else 1)",
        "1",
        "BaseTest",
    ),
    "keep threshold of too few symbols": _runtime(
        "Exact.kt",
        "(gain shl KEEP_BITS) / (gain + (symbols.toBigInteger() shl precision))",
        "(gain shl KEEP_BITS) / (gain + ((symbols - 1).toBigInteger() shl precision))",
        "GoldenCasesTest",
    ),
    "loss of counts of too few symbols": _runtime(
        "Exact.kt",
        "logUp(drawn + symbols.toBigInteger() * threshold",
        "logUp(drawn + (symbols - 1).toBigInteger() * threshold",
        "ExchangeTest",
    ),
    "kept one draw too often": _runtime(
        "Counts.kt",
        "(number - threshold shr 63)",
        "(number - threshold - 1 shr 63)",
        "CountsTest",
    ),
    "a second number only where the first doesn't keep": _runtime(
        "Counts.kt",
        "uniformBelow(symbols.toLong(), random).toInt()",
        "if (number < threshold) 0 else uniformBelow(symbols.toLong(), random).toInt()",
        "CountsTest",
    ),
    "unknown words with pseudonyms": _runtime(
        "Counts.kt",
        "spelled(symbol), known = id >= 0)",
        "if (id >= 0) spelled(symbol) else word, known = id >= 0)",
        "CountsTest",
    ),
    "unknown words never drawn": _runtime(
        "Counts.kt",
        "uniformBelow(symbols.toLong(), random).toInt()",
        "uniformBelow(symbols - 1L, random).toInt()",
        "GoldenCasesTest",
    ),
    "unknown words known": _runtime(
        "Counts.kt",
        "val symbol = if (id >= 0) id else bundle.size",
        "val symbol = if (id >= 0) id else 0",
        "CountsTest",
    ),
    "counts' first draw fresh": _runtime(
        "Counts.kt",
        "second.draw(first.draw(symbol, draw), random)",
        "second.draw(first.draw(symbol, random), random)",
        "GoldenCasesTest",
    ),
    "counts' second draw with the first cap": _runtime(
        "Counts.kt",
        "secondCap?.let { Response(it, bundle.size + 1) }",
        "secondCap?.let { Response(cap, bundle.size + 1) }",
        "GoldenCasesTest",
    ),
    "a memory's reports named as the bundle's": _runtime(
        "Counts.kt",
        "builder.cap == null && memory == null",
        "builder.cap == null",
        "CountsTest",
    ),
    "words a day of a manifest unchecked": _runtime(
        "Setting.kt",
        "cap !in CAP_MIN..CAP_MAX || wordsADay !in 1..MOST_A_DAY",
        "cap !in CAP_MIN..CAP_MAX",
        "HostileBundlesTest",
    ),
    "a day's last words stay": _runtime(
        "DaySample.kt",
        "uniformBelow(seen + 1, random)",
        "uniformBelow(most.toLong(), random)",
        "DaySampleTest",
    ),
    "a day's first words stay": _runtime(
        "DaySample.kt",
        "it[place.toInt()] = released",
        "it[place.toInt()] = words[place.toInt()]",
        "DaySampleTest",
    ),
    "a day sent before it is over": _keyboard(
        "Outbox.kt",
        "if (batch.day >= today()) return batch",
        "if (false) return batch",
        "OutboxTest",
    ),
    "a day opened again": _keyboard("Outbox.kt", "closed + 1)", "closed)", "OutboxTest"),
    "a sample for each setting of a day": _keyboard(
        "Outbox.kt",
        "        if (same == null && open != null && newest != null) lose(newest, DROPPED)\n",
        "",
        "OutboxTest",
    ),
    "an earlier day by the clock": _keyboard(
        "Outbox.kt", "open?.day ?: nextDay()", "nextDay()", "OutboxTest"
    ),
    "reports for nothing": _keyboard(
        "Reporter.kt",
        "            if (new > 0) budget?.spend(prepared.counts.loss, new, unit = bundle.digest)\n",
        "",
        "ReporterTest",
    ),
    "every word of a day paid for": _keyboard(
        "Reporter.kt",
        "budget?.spend(prepared.counts.loss, new, unit",
        "budget?.spend(prepared.counts.loss, words.size, unit",
        "ReporterTest",
    ),
    "repeats of the period's days alone": _keyboard(
        "Reporter.kt",
        "wordsADay * (daysOf(it.period) + 1)",
        "wordsADay * daysOf(it.period)",
        "ReporterTest",
    ),
    "counted as typed": _keyboard(
        "Reporter.kt", "prepared.counts.words(words)", "words", "EndToEndTest"
    ),
    "text without a sink": _keyboard(
        "Releaser.kt",
        "if (sink == null) Release.Text.NoSink else",
        "if (sink == null) send(tokens, text, bundle, settings) { _, _ -> } else",
        "ReleaserTest",
    ),
    "counts only after text": _keyboard(
        "Releaser.kt",
        "return Release(released, report(tokens, bundle, settings))",
        "if (released !is Release.Text.Sent) return Release.UNAVAILABLE\n"
        "        return Release(released, report(tokens, bundle, settings))",
        "ReleaserTest",
    ),
    "one text for all": _demo(
        "BrrInputMethodService.kt",
        "        if (typing.beginsText) app.keyboard.beginText()\n",
        "",
        "ReleaseTest",
    ),
    "one text for all fields": _through_demo(
        "Releaser.kt",
        "if (text !== this.text) stream",
        "if (this.text == null) stream",
        "ReleaseTest",
    ),
    "graph self-test off": _runtime(
        "TfLiteRandomizer.kt",
        "if (!orWrong(::flipsRight)) throw wrongInterpreter()",
        "orWrong(::flipsRight)",
        "RandomizerTest",
    ),
    "unsynchronized interpreter": _runtime(
        "TfLiteRandomizer.kt", "        synchronized(this) {", "        run {", "RandomizerTest"
    ),
    "typed word kept": _keyboard(
        "Releaser.kt",
        "        thread.run({ consent",
        "        System.setProperty(typed, typed)\n        thread.run({ consent",
        "EndToEndTest",
    ),
    "typed word released as it is": _keyboard(
        "Releaser.kt",
        "tokens.mapNotNull(prepared.stream(text)::word)",
        "tokens",
        "EndToEndTest",
    ),
    "a limit of the estimate": _keyboard(
        "ReleaseSettings.kt",
        "attackSuccess.high <=",
        "attackSuccess.value <=",
        "ReleaseSettingsTest",
    ),
    "a limit of the next stronger one": _keyboard(
        "ReleaseSettings.kt",
        "firstOrNull { it.epsilon >= strength.epsilon }",
        "lastOrNull { it.epsilon <= strength.epsilon }",
        "ReleaseSettingsTest",
    ),
    "what wasn't measured allowed": _keyboard(
        "ReleaseSettings.kt", "?: return false", "?: return true", "ReleaseSettingsTest"
    ),
    "a limit that releases don't keep": _keyboard(
        "ReleaseSettings.kt", "if (!allows(strength, bundle)) {", "if (false) {", "ReleaserTest"
    ),
    "two bundles in a period": _keyboard(
        "BundleStore.kt",
        "        if (unit != null && unit != new.digest) return null\n",
        "",
        "BundleStoreTest",
    ),
    "a bundle that nobody named": _keyboard(
        "BundleStore.kt",
        'if (opened.manifest["sha256"] != manifestDigest) {',
        "if (false) {",
        "BundleStoreTest",
    ),
    "warm-up without consent": _keyboard(
        "BrrKeyboard.kt", "if (consent.isGiven) warmUp", "warmUp", "WarmUpTest"
    ),
    "a saved strength above the limit": _demo(
        "Settings.kt",
        "strength()?.takeIf { settings.allows(it, bundle) } ?: return settings",
        "strength() ?: return settings",
        "SettingsTest",
    ),
    "strengths above the limit offered": _demo(
        "Offers.kt",
        "offers(mechanism).filter { settings.allows(it.strength, this) }",
        "offers(mechanism)",
        "OffersTest",
    ),
    "released without consent": _keyboard(
        "Consent.kt", "if (isGiven) action() else null", "action()", "EndToEndTest"
    ),
    "withdrawn words stay": _keyboard(
        "Consent.kt",
        "        file.deleteDurably()\n        outbox?.clear()",
        "        file.deleteDurably()",
        "UploaderTest",
    ),
    "sent batch takes more words": _keyboard(
        "Outbox.kt", "batch.copy(isClosed = true), key", "batch, key", "OutboxTest"
    ),
    "one nonce": _keyboard(
        "OutboxKey.kt",
        "ByteArray(NONCE_SIZE).also(SystemRandom::fill)",
        "ByteArray(NONCE_SIZE)",
        "OutboxTest",
    ),
    "file's number unauthenticated": _keyboard(
        "OutboxKey.kt",
        "            updateAAD(ByteBuffer.allocate(Long.SIZE_BYTES).putLong(number).array())\n",
        "",
        "OutboxTest",
    ),
    "device named": _keyboard(
        "Transport.kt",
        '            connection.setRequestProperty("User-Agent", "brrkit")\n',
        "",
        "HttpsTransportTest",
    ),
    "late suggestion shown": _through_demo(
        "Suggestions.kt",
        "answer != null && answer.first === last",
        "answer != null",
        "SuggestionsTest",
    ),
    "suggestion for another text chosen": _through_demo(
        "TypedWords.kt",
        "prefix.isEmpty() || prefix != this.prefix",
        "prefix.isEmpty()",
        "SuggestionsTest",
    ),
    "strip says every word": _through_demo(
        "ReleaseStrip.kt", "state == announced || state", "state", "AccessibilityTest"
    ),
    "mirrored keys": _demo(
        "KeyboardView.kt",
        "layoutDirection = LAYOUT_DIRECTION_LTR",
        "isLongClickable = false",
        "TypingTest",
    ),
    "mirrored choices": _demo(
        "KeyPopups.kt",
        "layoutDirection = LAYOUT_DIRECTION_LTR",
        "isLongClickable = false",
        "TypingTest",
    ),
    "suggestion's space before a period": _through_demo(
        "TypedWords.kt",
        'if (text != " ") replace(1, text, editor)',
        "editor.commitText(text, 1)",
        "SpellingTest",
    ),
    "any space taken back": _through_demo(
        "TypedWords.kt",
        "endsInWordAndSpace(editor.getTextBeforeCursor(spaced + 1 + SHORT, 0), spaced)",
        "true",
        "SpellingTest",
    ),
    "a suggestion's space for ever": _through_demo(
        "TypedWords.kt",
        "        spaced = 0\n        if (isBehindSuggestion) {",
        "        if (isBehindSuggestion) {",
        "SpellingTest",
    ),
    "a backspace for each code point": _through_demo(
        "TypedWords.kt",
        "characters.preceding(text.length)",
        "text.length - Character.charCount(Character.codePointBefore(text, text.length))",
        "SpellingTest",
    ),
    "a deleted letter stays in its word": _through_demo(
        "TypedWords.kt",
        "word = word.minusLast(size, before)",
        "word = word.minusLast(0, before)",
        "SpellingTest",
    ),
    "a period behind any space": _through_demo(
        "TypedWords.kt",
        "        if (!endsInWordAndSpace(editor.getTextBeforeCursor(SHORT, 0))) return false\n",
        "",
        "SpellingTest",
    ),
    "a period without haste": _demo(
        "Typing.kt", "now - spaceTyped < DOUBLE_SPACE_MS", "true", "SpellingTest"
    ),
    "i.e. with a capital": _demo(
        "English.kt", 'if (word == "i") next in BEHIND_I else', "", "SpellingTest"
    ),
    "x.i with a capital": _demo(
        "English.kt",
        "(before.isEmpty() || before.last().isWhitespace() || before.last() in OPENING)",
        "true",
        "SpellingTest",
    ),
    "a sentence's last i": _demo(
        "Typing.kt", 'isBehindI = word == "i" && next == "."', "isBehindI = false", "SpellingTest"
    ),
    "field asked for a word that there isn't": _through_demo(
        "TypedWords.kt",
        "if (word == TypedWord.NONE) null else finish",
        "if (false) null else finish",
        "CallsTest",
    ),
    "field asked at each key": _demo(
        "Typing.kt", "if (!expected) look(editor)", "look(editor)", "CallsTest"
    ),
    "moved cursor unnoticed": _demo(
        "Typing.kt", "        if (!expected) look(editor)\n", "", "SuggestionsTest"
    ),
    "preview of a password": _demo(
        "KeyboardView.kt", "if (state.hidden || action !is", "if (action !is", "ChoicesTest"
    ),
    "held key lost": _demo(
        "KeyboardView.kt",
        "                typeHeld()\n                popups.close()",
        "                popups.close()",
        "ChoicesTest",
    ),
    "a strength that was measured, rounded up": _runtime(
        "MeasuredStrength.kt",
        "floor(loss / average * DECIMALS)",
        "kotlin.math.ceil(loss / average * DECIMALS)",
        "MeasuredStrengthTest",
    ),
    "recommended by its number": _keyboard(
        "ReleaseSettings.kt",
        "strength == Strength.Recommended && !withMemory",
        "chosen(bundle).epsilon == bundle.recommended?.epsilon && !withMemory",
        "ReleaseSettingsTest",
    ),
    "attackers' rate without its interval": _demo(
        "Offers.kt", "ceil(100 * high - ROUNDING)", "ceil(100 * low - ROUNDING)", "OffersTest"
    ),
    "the recommended strength left out": _demo(
        "Offers.kt",
        "return steps.with(Offer(Strength.Recommended, own.epsilon, own.measured))",
        "return steps",
        "OffersTest",
    ),
    "strengths in the order of epsilon": _demo(
        "Offers.kt",
        "measured.attackSuccess.high > other.measured.attackSuccess.high",
        "epsilon > other.epsilon",
        "OffersTest",
    ),
    "a weaker strength by another mechanism": _demo(
        "Offers.kt",
        "offers.lastOrNull { !it.isWeakerThan(current) }",
        "offers.firstOrNull { it.isWeakerThan(current) }",
        "OffersTest",
    ),
    "a control that changes another's": _demo(
        "SettingsActivity.kt",
        "settings.copy(dailyBudget = BUDGETS[it])",
        "settings.copy(outlook.offers[0].strength, BUDGETS[it])",
        "SettingsActivityTest",
    ),
    "no way back": _demo(
        "SettingsActivity.kt",
        "save(settings.copy(strength = Strength.Recommended))",
        "save(settings)",
        "SettingsActivityTest",
    ),
    "a raw double": _demo(
        "Meaning.kt", "numbers.format(value)", '"$value"', "SettingsActivityTest"
    ),
    "another language's digits": _demo(
        "Meaning.kt",
        "if (phone.language == language) phone else Locale.forLanguageTag(language)",
        "phone",
        "LanguagesTest",
    ),
    "a percentage spoken": _demo(
        "Spoken.kt", "ANDROID_11 = 30", "ANDROID_11 = 99", "SettingsActivityTest"
    ),
    "words for counting left out of the budget": _demo(
        "Outlook.kt",
        "epsilon - reserved + BUDGET_UNIT",
        "epsilon + BUDGET_UNIT",
        "SettingsActivityTest",
    ),
    "epsilon shown to all": _demo(
        "SettingsActivity.kt",
        "advanced.show(advanced.visibility == View.GONE)",
        "advanced.show(true)",
        "SettingsActivityTest",
    ),
}


def copy(folder: Path) -> Path:
    """Make what the tests read, in ``work``, and a copy of the libraries beside it."""
    subprocess.run(
        ["sh", "tests/phones/prepare.sh", str(folder / "work"), "12500", "256"],
        cwd=ROOT,
        env={**os.environ, "BIN": str(Path(sys.executable).parent)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    ignored = shutil.ignore_patterns("surefire-reports")
    return Path(shutil.copytree(ROOT / "android_demo", folder / "android_demo", ignore=ignored))


def failures(demo: Path, tests: list[tuple[str, str]]) -> list[str]:
    """Return the tests that fail in a copy of the libraries, among those of classes.

    Raises:
        RuntimeError: it isn't compiled, or no test ran.
    """
    failed = []
    for module in sorted({module for module, _ in tests}):
        reports = demo / module / "target" / "surefire-reports"
        shutil.rmtree(reports, ignore_errors=True)
        names = ",".join(name for in_module, name in tests if in_module == module)
        options = ["-q", "-B", "-ntp", "-Dstyle.color=never", "-pl", module, "-am"]
        options += [f"-Dbrr.work={demo.parent / 'work'}", f"-Dbrr.root={ROOT}"]
        options += [f"-Dbrr.python={sys.executable}", f"-Dtest={names}"]
        options.append(f"-Dbrr.bundle={ROOT / 'runtime' / 'brrkit' / 'sample'}")  # of the demo
        ended = subprocess.run(
            ["mvn", *options, "-Dsurefire.failIfNoSpecifiedTests=false", "test"],
            check=False,
            cwd=demo,
            capture_output=True,
            text=True,
        )
        suites = [ElementTree.parse(path).getroot() for path in reports.glob("TEST-*.xml")]
        cases = [case for suite in suites for case in suite.iter("testcase")]
        if not cases:
            raise RuntimeError(f"no test ran: {ended.stdout[-2000:]}")
        failed += [
            case.attrib["name"]
            for case in cases
            if case.find("failure") is not None or case.find("error") is not None
        ]
    return failed


if __name__ == "__main__":
    sys.exit(try_all(sys.argv[1:], MUTATIONS, copy, failures))
