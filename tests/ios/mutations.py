"""Break the Swift library and keyboard on purpose, one place at a time: a test must fail each time.

    python tests/ios/mutations.py [--list] [NAME ...]

Takes about a minute for each on two cores; needs Swift 6. Each mutation is made in a copy of the
package, of which only what changed is compiled again, without optimization; of the tests only those
run that must notice. Prints who killed what, and exits with 1 if one survives. What ``make test``
runs is the tests; this is for whoever changes them. All of the list have been run, though not all
at once; what survived then has had a test since.

What changes no result isn't here: that an equal distance is looked at again (`<=` in the search,
where the element that it inserts is the one that it removes), and that a header's length is
compared, which stands in the header. ``test_mutations.py`` holds this list against the code.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import Mutation, try_all

ROOT = Path(__file__).parents[2]
PATIENCE = 900  # seconds to compile, or for tests, which may loop


def _library(file: str, right: str, wrong: str, tests: str) -> Mutation[str]:
    """Return a mutation; its tests are a pattern of names."""
    return Mutation(f"Brrkit/Sources/{file}", right, wrong, f"BrrkitTests.{tests}")


def _keyboard(file: str, right: str, wrong: str, tests: str) -> Mutation[str]:
    return Mutation(f"Keyboard/Logic/{file}", right, wrong, f"DemoKeyboardTests.{tests}")


def _parts(file: str, right: str, wrong: str, tests: str) -> Mutation[str]:
    return Mutation(f"BrrkitKeyboard/Sources/{file}", right, wrong, tests)


SEARCH = "PartsTests/searchesAreExact"
MEASURES = "BaseTests/measuresAreSummedAndDrawnFrom"
DAMAGED = "BaseTests/damagedTensorsAreRefused"
HISTORY = "BaseTests/aTextsWordsFollowWhatWasReleased"
NOISED = "GoldenCasesTests/noisedCodes"
HOSTILE = "HostileBundlesTests/whatPythonRefusesIsRefused"
NUMBERS = "ExchangeTests/pythonsNumbers"
CERTIFICATE = "PrivatizerTests/aCertificateChangesNoWeights"
MEMORIES = "GoldenCasesTests/memories"
STREAM = "KeyedMemoryTests/theStreamIsAsDocumented"
FIELDS = "KeyedMemoryTests/everyFieldGivesAnotherStream"
COUNTED = "GoldenCasesTests/counts"
CALLS = "GoldenCasesTests/calls"
SAMPLED = "ReporterTests/theFirstStayAndALaterOneTakesAPlace"
STORED = "ReporterTests/aSampleOfSomethingElseIsRefused"

MUTATIONS = {
    # Search.
    "ties to the higher rank": _library(
        "HammingIndex.swift",
        "found.lastIndex { $0.distance <= distance }",
        "found.lastIndex { $0.distance < distance }",
        SEARCH,
    ),
    "a step passed over": _library(
        "HammingIndex.swift",
        "if Int(least) >= farthest { return true }",
        "if Int(least) + 1 >= farthest { return true }",
        SEARCH,
    ),
    "a place too early": _library("Masses.swift", "if left < 0 {", "if left <= 0 {", SEARCH),
    "the last step cut": _library(
        "HammingIndex.swift",
        "stride(from: 0, to: total, by: HammingIndex.step)",
        "stride(from: 0, to: total - 1, by: HammingIndex.step)",
        "PartsTests/theLastWordIsFound",
    ),
    "32 of 64 bits counted": Mutation(
        "Brrkit/C/distances.c",
        "__builtin_popcountll(",
        "__builtin_popcount(",
        f"BrrkitTests.{SEARCH}",
    ),
    "the last distance for the least": Mutation(
        "Brrkit/C/distances.c",
        "distances[i] < least ? distances[i] : least",
        "distances[i]",
        f"BrrkitTests.{SEARCH}",
    ),
    "words of other rounds": Mutation(
        "Brrkit/C/sha256.c",
        "_mm_alignr_epi8(last, w[(i + 2) % 4], 4)",
        "_mm_alignr_epi8(last, w[(i + 2) % 4], 8)",
        "BrrkitTests.PartsTests/digestsAreTheSameEveryWay",
    ),
    # Randomness.
    "a remainder for rejection": _library(
        "Randomness.swift",
        "if number < UInt64(bound) { return Bound(number) }",
        "return Bound(number % UInt64(bound))",
        "PartsTests/uniformIntegersAreDrawnAgain",
    ),
    "the bound itself": _library(
        "Randomness.swift",
        "if number < UInt64(bound) {",
        "if number <= UInt64(bound) {",
        "PartsTests/uniformIntegersAreDrawnAgain",
    ),
    "too few bytes taken": _library(
        "Randomness.swift",
        "guard drawn.count == count else",
        "guard drawn.count <= count else",
        "PrivatizerTests/aSourceThatGivesTooLittleIsRefused",
    ),
    "a source that isn't asked": _library(
        "Randomness.swift",
        "return getentropy(buffer.baseAddress! + start, count) == 0",
        "return true",
        "PrivatizerTests/theSourceIsTheSystems",
    ),
    "parts of the source's bytes": _library(
        "Randomness.swift",
        "let count = min(most, buffer.count - start)",
        "let count = min(8, buffer.count - start)",
        "PrivatizerTests/theSourceIsTheSystems",
    ),
    "the source's first bytes only": _library(
        "Randomness.swift",
        "stride(from: 0, to: buffer.count, by: most)",
        "stride(from: 0, to: min(1, buffer.count), by: most)",
        "PrivatizerTests/theSourceIsTheSystems",
    ),
    # The randomizer and the mechanisms.
    "a flip too many": _library(
        "Randomizer.swift",
        "- Int64(threshold)\n",
        "- Int64(threshold) - 1\n",
        "PartsTests/theThresholdItselfDoesntFlip",
    ),
    "bits turned round": _library(
        "Randomizer.swift", "<< UInt64(bit)", "<< UInt64(63 - bit)", NOISED
    ),
    "noise used again": _library(
        "Mechanisms/BRR.swift",
        "        for i in codes.indices {\n"
        "            let numbers = try random.draw(4 * bundle.bits)",
        "        let numbers = try random.draw(4 * bundle.bits)\n        for i in codes.indices {",
        "ExchangeTests/pythonsReleases",
    ),
    "Vickrey's boundary": _library(
        "Mechanisms/Vickrey.swift",
        "while number >= weights[rank] {",
        "while number > weights[rank] {",
        "PrivatizerTests/vickreysBoundary",
    ),
    "Vickrey's t rounded up": _library(
        "Mechanisms/Vickrey.swift", ".toNearestOrEven", ".up", "PrivatizerTests/vickreysWeights"
    ),
    "Vickrey's weights of zero": _library(
        "Mechanisms/Vickrey.swift",
        "return weights == [0, 0] ? [first, second] : weights",
        "return weights",
        "PrivatizerTests/vickreysWeights",
    ),
    "any t for Vickrey": _library(
        "Mechanisms/Vickrey.swift",
        "guard t >= 0, t <= 1 else",
        "guard t >= 0 else",
        "PrivatizerTests/wrongParametersAreRefused",
    ),
    "the exponential's boundary": _library(
        "Mechanisms/Exponential.swift",
        "while number >= shares[distance] {",
        "while number > shares[distance] {",
        "PrivatizerTests/theExponentialsBoundary",
    ),
    "another radius by default": _library(
        "Mechanisms/Exponential.swift",
        "radius ?? bundle.bits / 8",
        "radius ?? bundle.bits / 16",
        "PrivatizerTests/theDefaultIsTheExponentialMechanismWithAnEighthOfTheBits",
    ),
    "a radius one too large": _library(
        "Exact.swift",
        "[(half / gentle, radius), (half, bits - radius)]",
        "[(half / gentle, min(radius + 1, bits)), (half, bits - min(radius + 1, bits))]",
        NUMBERS,
    ),
    "any radius in a manifest": _library(
        "Setting.swift",
        "guard let value = radius.integer, (0...bits).contains(value) else",
        "guard radius.integer != nil else",
        HOSTILE,
    ),
    # Exact numbers.
    "a threshold rounded down": _library(
        "Exact.swift",
        "(BigUInt(1) << (32 + precision)).dividedUp(by: (BigUInt(1) << precision) + e).int64",
        "((BigUInt(1) << (32 + precision)) / ((BigUInt(1) << precision) + e)).int64",
        NUMBERS,
    ),
    "a threshold in doubles": _library(
        "Exact.swift",
        "    let x = Rational(try checkEpsilon(epsilon))\n    return settle(x)",
        "    let x = Rational(try checkEpsilon(epsilon))\n"
        "    if epsilon > 0 { return Int64((0x1p32 / (1 + exp(epsilon))).rounded()) }\n"
        "    return settle(x)",
        NUMBERS,
    ),
    "weights rounded down": _library(
        "Exact.swift",
        "(BigUInt(UInt64(weight)) << 64).dividedUp(by: growth).int64",
        "((BigUInt(UInt64(weight)) << 64) / growth).int64",
        "BaseTests/weightsAreTheDocumentedIntegers",
    ),
    "no cap": _library(
        "Exact.swift",
        "max(shrunk(weights[weights.count - 1], by: growth), least)",
        "max(shrunk(weights[weights.count - 1], by: growth), 0 * least)",
        "BaseTests/weightsAreTheDocumentedIntegers",
    ),
    "a radius ignored": _library(
        "Exact.swift",
        "[(half / gentle, radius), (half, bits - radius)]",
        "[(half, bits)]",
        "GoldenCasesTests/releases",
    ),
    "an effective epsilon too low": _library(
        "Exact.swift", "    while !reaches(value) { value = value.nextUp }\n", "", NUMBERS
    ),
    "no decay beyond 22": _library(
        "Exact.swift", "Rational(23)", "Rational(22)", "PartsTests/theSmallestDecays"
    ),
    "a quotient's digit too large": _library(
        "BigUInt.swift",
        "guard tooMuch else { return UInt32(digit) }",
        "if digit >= 0 { return UInt32(truncatingIfNeeded: digit) }",
        "PartsTests/divisionUndoesMultiplication",
    ),
    "a borrow forgotten": _library(
        "BigUInt.swift",
        "product >> 32 + (u[j + i] < low ? 1 : 0)",
        "product >> 32",
        "PartsTests/divisionUndoesMultiplication",
    ),
    # Masses and bigrams.
    "gains of no word": _library(
        "Masses.swift", "body(id, levels[", "body(id, 0 * levels[", MEASURES
    ),
    "gains of the next word, too": _library(
        "Masses.swift",
        "firstBigram(from: before)..<firstBigram(from: before + 1)",
        "firstBigram(from: before)..<firstBigram(from: before + 2)",
        MEASURES,
    ),
    "frequent words for all alike": _library(
        "Masses.swift", "base == .uniform ? alike : levels", "levels", MEASURES
    ),
    "a bound without bigrams": _library(
        "Masses.swift",
        "return total + gained",
        "return total",
        "BaseTests/theBoundsAreTheLargestSums",
    ),
    "a bound of all bigrams": _library(
        "Masses.swift", "(id == last ? sum : 0)", "sum", "BaseTests/theBoundsAreTheLargestSums"
    ),
    "a mass of 0": _library("Masses.swift", "$0.contains(0)", "$0.first == 0", DAMAGED),
    "a bigram's missing word": _library(
        "Masses.swift", "ids[$0] >= words.count", "ids[$0] > words.count", DAMAGED
    ),
    "a pair twice": _library(
        "Masses.swift",
        "after[place - 1] >= after[place]",
        "after[place - 1] > after[place]",
        DAMAGED,
    ),
    "words before in any order": _library("Masses.swift", "last > next || (", "(", DAMAGED),
    "a sum above 2^47": _library(
        "Masses.swift", "most(.language) > mostMass", "most(.words) > mostMass", DAMAGED
    ),
    "a history of one word": _library(
        "Mechanisms/Exponential.swift", "            last = id\n", "            _ = last\n", HISTORY
    ),
    "a stream that forgets": _library(
        "Privatizer.swift", "released[0].first ?? before", "released[0].first", HISTORY
    ),
    "a first draw with the history": _library(
        "Privatizer.swift",
        "sampler.release([code], after: nil, source)",
        "sampler.release([code], after: before, source)",
        "BaseTests/aMemorysFirstDrawsAreATextsFirstWords",
    ),
    "a memory that doesn't know the base": _library(
        "Mechanisms/Exponential.swift",
        "[self.base == .uniform ? 0 : 1]",
        "[1]",
        "BaseTests/aMemoryKnowsTheBase",
    ),
    "a base that isn't there": _library(
        "Mechanisms/Exponential.swift",
        "self.base != .language || masses.hasBigrams",
        "self.base != .language || masses.most(.words) > 0",
        "BaseTests/theDefaultIsTheLastBaseThatThereIs",
    ),
    # The budget.
    "a cost rounded down": _library(
        "PrivacyBudget.swift",
        "return Decimal10(epsilon).times(powerOfTen: 9).up",
        "return Decimal10(epsilon).times(powerOfTen: 9).down",
        "PrivacyBudgetTests/costsRoundUpAndLimitsDown",
    ),
    "a limit rounded up": _library(
        "PrivacyBudget.swift",
        "most = Decimal10(limit).times(powerOfTen: 9).down",
        "most = Decimal10(limit).times(powerOfTen: 9).up",
        "PrivacyBudgetTests/costsRoundUpAndLimitsDown",
    ),
    "a state in any form": _library(
        "PrivacyBudget.swift",
        "        if serialized != content { return nil }\n",
        "",
        "PrivacyBudgetTests/everyFlippedBitIsRefused",
    ),
    "a restart with a clock set back": _library(
        "Period.swift",
        "max(now.uptime, now.time - latest)",
        "now.time - latest",
        "PrivacyBudgetTests/aRestartWithAClockSetBack",
    ),
    "a restart that isn't stored": _library(
        "PrivacyBudget.swift",
        "} else if !stored.period.isOf(now) {",
        "} else if false {",
        "PrivacyBudgetTests/aRestartCountsTheTimeThatTheDeviceWasOff",
    ),
    "the latest time forgotten": _library(
        "Period.swift",
        "min(max(latest + passed, now.time), timeMost)",
        "now.time",
        "PrivacyBudgetTests/aClockSetBackGainsNothing",
    ),
    "units added up": _library(
        "PrivacyBudget.swift",
        "if !state.unit.isEmpty && state.unit != unit {",
        "if false {",
        "PrivacyBudgetTests/anotherBundlesEpsilonIsRefused",
    ),
    "a shared lock": _library(
        "StateFile.swift",
        "while flock(lock, LOCK_EX) != 0 {",
        "while flock(lock, LOCK_SH) != 0 {",
        "PrivacyBudgetTests/threadsAndObjectsShareOneState",
    ),
    "a lock between threads only": _library(
        "StateFile.swift",
        'let lockPath = path + ".lock"',
        'let lockPath = path + "\\(getpid()).lock"',
        "PrivacyBudgetTests/processesShareOneState",
    ),
    "links followed": _library(
        "StateFile.swift",
        "flags | O_NOFOLLOW | O_NONBLOCK",
        "flags | O_NONBLOCK",
        "PrivacyBudgetTests/linksPipesAndFoldersAreRefused",
    ),
    "hard links taken": _library(
        "StateFile.swift",
        "guard status.st_nlink == 1 else {",
        "guard status.st_nlink >= 1 else {",
        "PrivacyBudgetTests/linksPipesAndFoldersAreRefused",
    ),
    "state not flushed": _library(
        "StateFile.swift",
        "== content.count && flush(file)",
        "== content.count",
        "PrivacyBudgetTests/whatIsSpentIsFlushed",
    ),
    "directory not flushed": _library(
        "StateFile.swift",
        "renameat(folder, new, folder, name) == 0, flush(folder) else",
        "renameat(folder, new, folder, name) == 0 else",
        "PrivacyBudgetTests/whatIsSpentIsFlushed",
    ),
    "a lease after its period": _library(
        "Lease.swift",
        " && period.at(now).elapsed < length",
        "",
        "PrivacyBudgetTests/aLeaseEndsWithItsPeriod",
    ),
    "a lease in the next period": _library(
        "PrivacyBudget.swift",
        "lease.unit == unit && period.continues(lease.period)",
        "unit.isEmpty || lease.unit == unit",
        "PrivacyBudgetTests/aLeaseEndsWithItsPeriod",
    ),
    "a lease after a restart": _library(
        "Lease.swift",
        " && period.isOf(now)",
        "",
        "PrivacyBudgetTests/aLeaseLastsAsLongAsItsPeriodAndNoRestart",
    ),
    "a lease of another unit": _library(
        "Lease.swift",
        " && unit == self.unit",
        "",
        "PrivacyBudgetTests/aLeaseIsOfOneUnit",
    ),
    "a lease of all that is left": _library(
        "Lease.swift",
        "min(released, left / share)",
        "min(released, left)",
        "PrivacyBudgetTests/leasesLeaveTheOthersMostOfWhatIsLeft",
    ),
    "a lease that a child inherits": _library(
        "Lease.swift",
        "        if process != getpid() { (process, lease) = (getpid(), nil) }\n",
        "",
        "PrivacyBudgetTests/aLeaseIsntInherited",
    ),
    "a damaged state is used up": _library(
        "PrivacyBudget.swift",
        "            throw .budgetFile(\n",
        "            throw BrrError(.budget(left: 0, renewsIn: 0),\n",
        "PrivacyBudgetTests/everyFlippedBitIsRefused",
    ),
    # The privatizer.
    "known words cost": _library(
        "Privatizer.swift",
        "spend(certifiedEpsilon, words: tokens.count,",
        "spend(certifiedEpsilon, words: tokens.filter { bundle.vocabulary.find($0) != nil }.count,",
        "PrivatizerTests/everyTokenCostsBeforeItIsLookedUp",
    ),
    "the parameter costs": _library(
        "Privatizer.swift",
        "try budget?.spend(certifiedEpsilon,",
        "try budget?.spend(epsilon,",
        "PrivatizerTests/theBudgetCountsTheCertifiedEpsilon",
    ),
    "the parameter costs, with a memory": _library(
        "Privatizer.swift",
        "try budget.spend(certifiedEpsilon,",
        "try budget.spend(epsilon,",
        "PrivatizerTests/theBudgetCountsTheCertifiedEpsilon",
    ),
    "every text is the first": _library(
        "Privatizer.swift",
        "drawn(found[start..<start + list.count], after: before)",
        "drawn(found[..<list.count], after: before)",
        "PrivatizerTests/textsAreEachTextWithTheSameRandomBytes",
    ),
    "one word for all unknown": _library(
        "Privatizer.swift",
        "Int(try source.uniform(below: Int64(bundle.count)))",
        "0",
        "ExchangeTests/pythonsReleases",
    ),
    # The order of random bytes: what golden cases say of it.
    "a call word by word": _library(
        "Privatizer.swift",
        "public func words(_ words: [String]) throws(BrrError) -> [String] {\n"
        "        try spelled(released([words.map { normalize($0) }]))[0]\n",
        "public func words(_ words: [String]) throws(BrrError) -> [String] {\n"
        "        var (stream, all) = (stream(), [String]())\n"
        "        for word in words { if let one = try stream.word(word) { all.append(one) } }\n"
        "        return all\n",
        CALLS,
    ),
    "unknown words of all texts first": _library(
        "Privatizer.swift",
        "let found = Array(zip(ids, try paidSources(tokens, ids)))",
        "let sources = try paidSources(tokens, ids)\n"
        "        var found = [(Int?, any RandomSource)]()\n"
        "        for (id, source) in zip(ids, sources) {\n"
        "            var id = id\n"
        "            if id == nil && oov == .random {\n"
        "                id = Int(try random.uniform(below: Int64(bundle.count)))\n"
        "            }\n"
        "            found.append((id, source))\n"
        "        }",
        CALLS,
    ),
    "a text that ends at a word that is left out": _library(
        "Privatizer.swift",
        "before = released[0].first ?? before",
        "before = released[0].first",
        "GoldenCasesTests/streams",
    ),
    "a place before the next word": _library(
        "Reporter.swift",
        "for released in try counts.words(words) { try taken.take(released, most: most, random) }",
        "for word in words { try taken.take(counts.word(word), most: most, random) }",
        "GoldenCasesTests/samples",
    ),
    # Certificates.
    "a certificate of another index": _library(
        "Privatizer.swift",
        "guard certificate.index == bundle.digest else",
        "guard !certificate.index.isEmpty else",
        CERTIFICATE,
    ),
    "a certificate below half of epsilon": _library(
        "Privatizer.swift",
        "certificate.certifiedEpsilon >= epsilon / 2,",
        "certificate.certifiedEpsilon >= epsilon / 4,",
        CERTIFICATE,
    ),
    "a certificate above epsilon": _library(
        "Privatizer.swift",
        "certificate.certifiedEpsilon <= epsilon\n",
        "certificate.certifiedEpsilon <= 2 * epsilon\n",
        CERTIFICATE,
    ),
    "a certificate of any mechanism": _library(
        "Privatizer.swift",
        "let base = prepared.base(bundle) else",
        "let base = Optional(prepared.base(bundle) ?? .words) else",
        CERTIFICATE,
    ),
    "a certificate of histories": _library(
        "Privatizer.swift",
        "guard base != .language else",
        "guard base != .language || certificate.index == bundle.digest else",
        CERTIFICATE,
    ),
    "a certificate without effect": _library(
        "Privatizer.swift",
        "certifiedEpsilon = certified ?? sampler.effectiveEpsilon",
        "certifiedEpsilon = sampler.effectiveEpsilon",
        CERTIFICATE,
    ),
    "a certified epsilon for the parameter": _library(
        "Privatizer.swift",
        "bundle, mechanism, setting.epsilon, setting.certifiedEpsilon,",
        "bundle, mechanism, setting.certifiedEpsilon ?? setting.epsilon,\n"
        "                setting.certifiedEpsilon,",
        CERTIFICATE,
    ),
    "a share above 1": _library(
        "Setting.swift",
        "(0...1).contains($0)",
        "(0...2).contains($0)",
        "PrivatizerTests/whatWasMeasuredIsRead",
    ),
    # The memory: what its first draws depend on, and its second ones.
    "a memory keyed by the code alone": _library(
        "Privatizer.swift",
        "id.flatMap(bundle.vocabulary.word).map { Array($0.utf8) }",
        "id.map { bundle.index.codes[$0].flatMap(eightBytes) }",
        MEMORIES,
    ),
    "a memory keyed by what was typed": _library(
        "Privatizer.swift",
        "word ?? Array(token), known:",
        "Array(token), known:",
        MEMORIES,
    ),
    "a first draw without its domain": _library(
        "Memory.swift", '            Array("brrkit memory".utf8),\n', "", STREAM
    ),
    "a first draw without its period": _library(
        "Memory.swift", "            eightBytes(UInt64(number)),\n", "", FIELDS
    ),
    "a first draw without its bundle": _library(
        "Memory.swift", "            Array(unit.utf8),\n", "", FIELDS
    ),
    "a first draw without its mechanism": _library(
        "Memory.swift", "            Array(setting.mechanism.utf8),\n", "", FIELDS
    ),
    "a first draw without its setting": _library(
        "Memory.swift", "            setting.numbers,\n", "", FIELDS
    ),
    "known and unknown words alike": _library(
        "Memory.swift", 'known ? "known" : "unknown"', '"known"', FIELDS
    ),
    "fields without their lengths": _library(
        "Memory.swift", "fields.flatMap(field)", "fields.flatMap { $0 }", FIELDS
    ),
    "blocks without a counter": _library(
        "Memory.swift", "field(eightBytes(block))", "field(eightBytes(0))", STREAM
    ),
    "an HMAC's second key": _library(
        "HMAC.swift", "$0 ^ 0x5c", "$0 ^ 0x36", "KeyedMemoryTests/theHMACIsTheStandards"
    ),
    "the second draw skipped": _library(
        "Privatizer.swift",
        "return try second.release(first, after: before, random)",
        "_ = second; return first.map { bundle.index.nearest($0, 1)[0].id }",
        MEMORIES,
    ),
    "the second draw from the memory's stream": _library(
        "Privatizer.swift",
        "return try second.release(first, after: before, random)",
        "return try second.release(first, after: before, found.isEmpty ? random : found[0].1)",
        MEMORIES,
    ),
    "the second epsilon for the first": _library(
        "Privatizer.swift",
        "secondEpsilon ?? min(2 * epsilon, epsilonMax)",
        "secondEpsilon ?? epsilon",
        "KeyedMemoryTests/theSecondEpsilonIsTwiceTheFirst",
    ),
    # The memory: its key.
    "a period that never ends": _library(
        "Memory.swift",
        "if period.elapsed >= length {",
        "if false {",
        "KeyedMemoryTests/everyPeriodHasAKeyOfItsOwn",
    ),
    "the old key for the next period": _library(
        "Memory.swift",
        "return try start(min(stored.number + 1, numberMost), period, in: file)",
        "try file.replace(\n"
        "                State(number: stored.number + 1, sealed: stored.sealed, period: period)"
        ".serialized)\n"
        "            return MemoryKey(number: stored.number + 1, secret: stored.sealed)",
        "KeyedMemoryTests/everyPeriodHasAKeyOfItsOwn",
    ),
    "a key that isn't stored": _library(
        "Memory.swift",
        "try file.replace(State(number: number, sealed: sealed, period: period).serialized)",
        "_ = file",
        "KeyedMemoryTests/aWordIsDrawnTheSameForAPeriod",
    ),
    "a key of few bits": _library(
        "Memory.swift",
        "let secret = try SystemRandom().draw(keySize)",
        "let secret = try SystemRandom().draw(1) + [UInt8](repeating: 0, count: keySize - 1)",
        "KeyedMemoryTests/everyPeriodHasAKeyOfItsOwn",
    ),
    "another key for a damaged one": _library(
        "Memory.swift",
        "guard let stored = State(parsing: content) else { throw damaged }",
        "guard let stored = State(parsing: content) else {\n"
        "            return try start(1, Period(startingAt: now), in: file)\n        }",
        "KeyedMemoryTests/noDamageGivesAnotherKey",
    ),
    "a memory's restart that isn't stored": _library(
        "Memory.swift",
        "if !stored.period.isOf(now) {",
        "if false {",
        "KeyedMemoryTests/aSetClockChangesNothing",
    ),
    "a vault that doesn't seal": _library(
        "Memory.swift",
        "try vault?.seal(secret) ?? secret",
        "secret",
        "KeyedMemoryTests/aVaultKeepsTheKey",
    ),
    "a refused word taken for paid": _library(
        "Memory.swift",
        "        try pay(new.count)\n        paid.note(new, in: key.number)",
        "        paid.note(new, in: key.number)\n        try pay(new.count)",
        "KeyedMemoryTests/whatABudgetRefusesIsntTakenForPaid",
    ),
    "a repeated word costs again": _library(
        "Memory.swift",
        "number == self.number ? asked.subtracting(tags) : asked",
        "asked",
        "KeyedMemoryTests/aBudgetCountsAWordOnceInAPeriod",
    ),
    # The tokenizer.
    "a range's last character": _library(
        "Tokenizer.swift", "(0x02D2, 0x02DF)", "(0x02D2, 0x02DE)", "ExchangeTests/everyCodePoint"
    ),
    "an apostrophe": _library(
        "Tokenizer.swift",
        "case 0x02BC, 0x2019, 0xFF07:",
        "case 0x02BC, 0x2019:",
        "ExchangeTests/everyCodePoint",
    ),
    "the last capital of a range": _library(
        "Tokenizer.swift", "0x1E00...0x1FFF", "0x1E00...0x1FFB", "ExchangeTests/everyCodePoint"
    ),
    "apostrophes at a word's end": _library(
        "Tokenizer.swift",
        "while rest.last == apostrophe { rest.removeLast() }",
        "if rest.last == apostrophe { rest.removeLast() }",
        "ExchangeTests/pythonsTexts",
    ),
    "a clitic": _library("Tokenizer.swift", '"\'ll", ', "", "ExchangeTests/pythonsTexts"),
    # Bundles.
    "any graph": _library(
        "WordBundle.swift",
        "guard graph.withUnsafeBytes(sha256) == graphs[manifest.bits] else",
        "guard graph.count > 0 else",
        HOSTILE,
    ),
    "any digest": _library(
        "WordBundle.swift",
        "if verifyHash && content.withUnsafeBytes(sha256) != expected.sha256 {",
        "if false {",
        HOSTILE,
    ),
    "65 candidates": _library(
        "Setting.swift",
        "private let mostCandidates = 64",
        "private let mostCandidates = 65",
        HOSTILE,
    ),
    "a digest of any form": _library(
        "Manifest.swift",
        'let digest = json?["sha256"]?.string, isDigest(digest)',
        'let digest = json?["sha256"]?.string',
        HOSTILE,
    ),
    "the last of two keys": _library(
        "JSON.swift",
        "            try check(result[key] == nil)\n",
        "",
        "PartsTests/theSubsetOfJSON",
    ),
    "33 levels": _library(
        "JSON.swift",
        "static let deepest = 32",
        "static let deepest = 33",
        "PartsTests/theSubsetOfJSON",
    ),
    "a block's first word shares": _library(
        "Vocabulary.swift",
        "if shared > (position % blockSize == 0 ? 0 : length) { return false }",
        "if shared > length { return false }",
        HOSTILE,
    ),
    "half a character shared": _library(
        "Vocabulary.swift",
        "        if length > 0 && start[length] & 0xC0 == 0x80 { return false }\n",
        "",
        HOSTILE,
    ),
    "positions aren't compared": _library(
        "Vocabulary.swift",
        "if (0..<count).contains(where: { positions[ids[$0]] != $0 }) {",
        "if false {",
        HOSTILE,
    ),
    # The keyboard.
    "passwords": _parts(
        "Field.swift",
        "kind == .words && !isSecure && ",
        "kind == .words && ",
        "DemoKeyboardTests.TypingTests/privateFieldsReleaseAndKeepNothing",
    ),
    "one-time codes": _parts(
        "Field.swift",
        "&& !hasContentType ",
        "",
        "DemoKeyboardTests.TypingTests/privateFieldsReleaseAndKeepNothing",
    ),
    "characters kept in a private field": _parts(
        "TypedWords.swift",
        "} else if field.releases {",
        "} else {",
        "DemoKeyboardTests.TypingTests/privateFieldsReleaseAndKeepNothing",
    ),
    "half a word": _parts(
        "TypedWord.swift",
        "!startsInWord(after) && ",
        "",
        "DemoKeyboardTests.TypingTests/onlyWholeWordsThatTheFieldShowsAreReleased",
    ),
    "a corrected word": _parts(
        "TypedWord.swift",
        "return isWhole && isAt(before)",
        "return isAt(before)",
        "DemoKeyboardTests.TypingTests/aCorrectionInsideAWordIsntReleased",
    ),
    "what the field doesn't show": _parts(
        "TypedWord.swift",
        "if isAt(before) { return",
        "if !text.isEmpty { return",
        "DemoKeyboardTests.TypingTests/onlyWholeWordsThatTheFieldShowsAreReleased",
    ),
    "a second draw": _parts(
        "Releaser.swift",
        "try sink.accept(released, from: source)",
        "try sink.accept(privatizer.words(words), from: source)",
        "BrrkitKeyboardTests.ReleaserTests/theSinkGetsWhatIsShown",
    ),
    "a strength that was measured, rounded up": _library(
        "MeasuredStrength.swift",
        ".rounded(.down)",
        ".rounded(.up)",
        "MeasuredStrengthTests/everyLossThatWasMeasuredIsAStrength",
    ),
    "the recommended strength left out": _keyboard(
        "Offers.swift",
        "return offers.with(\n            Offer(strength: .recommended, epsilon: own.epsilon, "
        "measured: own.measured))",
        "return offers",
        "OffersTests/theRecommendedOneIsAmongThemAndAllAreMeasured",
    ),
    "strengths in the order of epsilon": _keyboard(
        "Offers.swift",
        "return own.attackSuccess.high > others.attackSuccess.high",
        "return epsilon > other.epsilon",
        "OffersTests/theirOrderIsThatOfTheAttackers",
    ),
    "a weaker strength by another mechanism": _keyboard(
        "Offers.swift",
        "offers.last { !$0.isWeaker(than: current) }",
        "offers.first { $0.isWeaker(than: current) }",
        "OffersTests/anotherMechanismIsNotWeaker",
    ),
    "a rate without its interval": _keyboard(
        "Meaning.swift",
        "(100 * share.high - rounding)",
        "(100 * share.low - rounding)",
        "MeaningTests/aStrengthIsSaidInPeoplesNumbers",
    ),
    "a raw double": _keyboard(
        "Texts.swift",
        "value.formatted(.number.precision(.fractionLength(0...2)).locale(locale))",
        '"\\(value)"',
        "MeaningTests/numbersAreThoseOfTheLanguage",
    ),
    "another language's numbers": _keyboard(
        "Texts.swift",
        "locale = isSpoken ? device : ",
        "locale = true ? device : ",
        "MeaningTests/numbersAreThoseOfTheLanguage",
    ),
    "a strength beyond the app's limit": _keyboard(
        "Offers.swift",
        "offers(mechanism).filter { settings.allows($0.strength, on: self) }",
        "offers(mechanism)",
        "OffersTests/theAppsLimitIsThatOfTheOffers",
    ),
    "a saved strength beyond the app's limit": _keyboard(
        "Settings.swift",
        "if settings.allows(chosen, on: bundle) { settings.strength = chosen }",
        "settings.strength = chosen",
        "SettingsTests/theAppsLimitHolds",
    ),
    "a consent that is only shown": Mutation(
        "Keyboard/Views/SettingsView.swift",
        "        consent.isOn = keyboard.consent.isGiven\n        consentChanged()",
        "        consentChanged()",
        "DemoKeyboardTests.SettingsViewTests/aConsentThatCantBeStoredIsntShownAsGiven",
    ),
    "words that leave again without a consent": _keyboard(
        "FieldNotice.swift",
        "guard isOn else { return nil }",
        "",
        "MeaningTests/aPrivateFieldIsAnnouncedOnceAndThatWordsLeaveAgain",
    ),
    "a control that changes another's": Mutation(
        "Keyboard/Views/SettingsView.swift",
        "            view.settings.dailyBudget =",
        "            view.settings.strength = view.offers[0].strength\n"
        "            view.settings.dailyBudget =",
        "DemoKeyboardTests.SettingsViewTests/aControlChangesWhatItIsForAndNothingElse",
    ),
    "no way back": Mutation(
        "Keyboard/Views/SettingsView.swift",
        "            $0.settings.strength = .recommended\n",
        "            _ = $0\n",
        "DemoKeyboardTests.SettingsViewTests/theRecommendedStrengthCanBeChosenAgain",
    ),
    "no budget": _parts(
        "Releaser.swift",
        "try settings.privatizer(bundle, budget: budget, memory: memory, random: random)",
        "try settings.privatizer(bundle, memory: memory, random: random)",
        "BrrkitKeyboardTests.ReleaserTests/settingsAndTheBudgetAreObserved",
    ),
    "no memory": _parts(
        "Releaser.swift",
        "try settings.privatizer(bundle, budget: budget, memory: memory, random: random)",
        "try settings.privatizer(bundle, budget: budget, random: random)",
        "BrrkitKeyboardTests.ReleaserTests/aRepeatedWordCostsOnceInThirtyDays",
    ),
    "no memory for what is recommended": _parts(
        "ReleaseSettings.swift",
        "(bundle, oov: oov, budget: budget, memory: memory, random: random)",
        "(bundle, oov: oov, budget: budget, random: random)",
        "DemoKeyboardTests.SettingsTests/whatIsRecommendedIsAllOfIt",
    ),
    "a gap between keys": _keyboard(
        "KeyGrid.swift",
        "area: CGRect(x: from, y: top, width: to - from, height: rowHeight)",
        "area: face.insetBy(dx: 3, dy: 3)",
        "KeyGridTests/everyPointBelongsToTheKeyAroundIt",
    ),
    "a shorter row's edges": _keyboard(
        "KeyGrid.swift",
        "let from = place == 0 ? 0 : left",
        "let from = left",
        "KeyGridTests/everyPointBelongsToTheKeyAroundIt",
    ),
    "no key outside": _keyboard(
        "KeyGrid.swift",
        "?? keys.last)",
        "?? nil)",
        "KeyGridTests/outsideItIsTheNearestKey",
    ),
    "a key acts when it is left": _keyboard(
        "Touches.swift",
        "return before + [key]",
        "return before",
        "TouchesTests/aKeyActsWhenItIsTouched",
    ),
    "thumbs in the order of leaving": _keyboard(
        "Touches.swift",
        "let before = settle()",
        "let before = [KeyAction]()",
        "TouchesTests/overlappingThumbsTypeInTheOrderOfTouching",
    ),
    "a gesture of the system's typed": _keyboard(
        "Touches.swift",
        "if waiting?.finger == finger { waiting = nil }",
        "",
        "TouchesTests/whatTheSystemTakesIsntTyped",
    ),
    "another finger's choice": _keyboard(
        "Touches.swift",
        "if offered?.finger == finger { offered!.marked",
        "if offered != nil { offered!.marked",
        "TouchesTests/aHeldKeyOffersChoices",
    ),
    "choices beyond the edge": _keyboard(
        "ChoiceRow.swift",
        "let left = min(max(edge, 0), width - whole)",
        "let left = edge",
        "KeyGridTests/choicesOfAKeyAtTheEdgeStayInside",
    ),
    "a password over the shoulder": Mutation(
        "Keyboard/Extension/KeysView.swift",
        "!shown.isSecure, ",
        "",
        "DemoKeyboardTests.KeysViewTests/thePressedKeyIsShownAboveIt",
    ),
    "mirrored letters": Mutation(
        "Keyboard/Extension/KeysView.swift",
        "semanticContentAttribute = .forceLeftToRight",
        "semanticContentAttribute = .unspecified",
        "DemoKeyboardTests.KeysViewTests/noSystemsLanguageMirrorsTheLetters",
    ),
    "a slider by tenths": Mutation(
        "Keyboard/Views/StepSlider.swift",
        "override func accessibilityIncrement() { move(to: step + 1) }",
        "override func accessibilityIncrement() {}",
        "DemoKeyboardTests.SettingsViewTests/aScreenReaderHearsWhatASettingMeansAndMovesItByOne",
    ),
    "touches in any order": Mutation(
        "Keyboard/Extension/KeysView.swift",
        "began.sorted(by: { $0.timestamp < $1.timestamp })",
        "began.sorted(by: { $0.timestamp > $1.timestamp })",
        "DemoKeyboardTests.KeysViewTests/keysActWhenTheyAreTouched",
    ),
    "the last page's keys under a finger": Mutation(
        "Keyboard/Extension/KeysView.swift",
        "        layOut(state)  // a finger may come before the system does it\n",
        "",
        "DemoKeyboardTests.KeysViewTests/aTurnedPageIsTouchedAtOnce",
    ),
    "a suggestion's space before a period": _parts(
        "TypedWords.swift",
        "            editor.deleteBackward()\n        }\n        var finished",
        "        }\n        var finished",
        "DemoKeyboardTests.TypingTests/punctuationTakesTheSpaceOfASuggestionBack",
    ),
    "any space taken back": _parts(
        "TypedWords.swift",
        "endsInWordAndSpace(editor.before, length: spaced)",
        "endsInWordAndSpace(editor.before)",
        "DemoKeyboardTests.TypingTests/onlyTheSpaceThatWasJustWrittenIsTakenBack",
    ),
    "a suggestion's space for ever": _parts(
        "TypedWords.swift",
        "        spaced = 0\n        if isBehindSuggestion {",
        "        if isBehindSuggestion {",
        "DemoKeyboardTests.TypingTests/onlyTheSpaceThatWasJustWrittenIsTakenBack",
    ),
    "a period where nothing is corrected": _parts(
        "TypedWords.swift",
        "field.releases && endsInWordAndSpace(editor.before)",
        "endsInWordAndSpace(editor.before)",
        "DemoKeyboardTests.TypingTests/onlyTypedWordsAreSpelled",
    ),
    "i.e. with a capital": _keyboard(
        "English.swift",
        'word == "i" ? " \\n,?!".contains(next) : isSeparator(next)',
        "isSeparator(next)",
        "TypingTests/whatIsNotThePronounStays",
    ),
    "x.i with a capital": _keyboard(
        "English.swift",
        '$0.isWhitespace || "(\\"“‘".contains($0)',
        "!$0.isLetter",
        "TypingTests/whatIsNotThePronounStays",
    ),
    "a sentence's last i": _keyboard(
        "Typing.swift",
        'isBehindI = prefix == "i" && next == "."',
        "isBehindI = false",
        "TypingTests/thePronounIIsACapital",
    ),
    "a text that nothing begins": _parts(
        "TypedWords.swift",
        "beginsText = isComplete && tokenize(",
        "beginsText = isComplete || tokenize(",
        "DemoKeyboardTests.TypingTests/aTextBeginsInAnEmptyField",
    ),
    "a text that never ends": _parts(
        "Releaser.swift",
        "bundle.run { _ in self.text = nil }",
        "bundle.run { _ in }",
        "BrrkitKeyboardTests.ReleaserTests/aTextGoesThroughOneStream",
    ),
    "a text of each word": _parts(
        "Releaser.swift",
        "        text = stream\n",
        "        text = nil\n",
        "BrrkitKeyboardTests.ReleaserTests/aTextGoesThroughOneStream",
    ),
    "a key in the file": _parts(
        "BrrKeyboard.swift",
        "vault: options.memoryVault, clock",
        "clock",
        "BrrkitKeyboardTests.ReleaserTests/theKeychainKeepsTheKeyOfThePeriod",
    ),
    "an old key left in the Keychain": _parts(
        "KeychainVault.swift",
        "let erased = SecItemDelete(items as CFDictionary)",
        "let erased = errSecSuccess",
        "BrrkitKeyboardTests.ReleaserTests/theKeychainKeepsTheKeyOfThePeriod",
    ),
    "a key that iCloud takes": _parts(
        "KeychainVault.swift",
        "kSecAttrSynchronizable as String: false",
        "kSecAttrSynchronizable as String: true",
        "BrrkitKeyboardTests.ReleaserTests/theKeychainKeepsTheKeyOfThePeriod",
    ),
    "everything of the app erased with a key": _parts(
        "KeychainVault.swift",
        "            kSecAttrService as String: service,\n",
        "",
        "BrrkitKeyboardTests.ReleaserTests/theKeychainKeepsTheKeyOfThePeriod",
    ),
    "a key by any name": _parts(
        "KeychainVault.swift",
        "var query = named(sealed)",
        "var query = items",
        "BrrkitKeyboardTests.ReleaserTests/theKeychainKeepsTheKeyOfThePeriod",
    ),
    # Counts.
    "a symbol kept at the threshold": _library(
        "Counts.swift",
        "number &- threshold)",
        "number &- threshold &- 1)",
        COUNTED,
    ),
    "a second number only where the first doesn't keep": _library(
        "Counts.swift",
        "let drawn = try random.uniform(below: symbols)",
        "let drawn = number < threshold ? 0 : try random.uniform(below: symbols)",
        "CountsTests/aKeptWordTakesAsManyNumbersAsAnother",
    ),
    "no symbol for unknown words": _library(
        "Counts.swift",
        "let symbols = bundle.count + 1",
        "let symbols = bundle.count",
        COUNTED,
    ),
    "an unknown word as the first one": _library(
        "Counts.swift",
        "Int64(id ?? bundle.count)",
        "Int64(id ?? 0)",
        COUNTED,
    ),
    "a memory without second draws": _library(
        "Counts.swift",
        "return try second(first(symbol, draw), random)",
        "return try first(symbol, draw)",
        COUNTED,
    ),
    "fresh first draws of counts": _library(
        "Counts.swift",
        "second(first(symbol, draw), random)",
        "second(first(symbol, random), random)",
        COUNTED,
    ),
    "first draws of counts without their threshold": _library(
        "Counts.swift",
        "numbers: eightBytes(first.threshold)",
        "numbers: []",
        COUNTED,
    ),
    "a second cap that is the first": _library(
        "Counts.swift",
        "min(2 * value, capMax)",
        "min(value, capMax)",
        "CountsTests/aMemoryHasASecondCap",
    ),
    "a memory as the recommended setting": _library(
        "Counts.swift",
        "isRecommended = cap == nil && memory == nil",
        "isRecommended = cap == nil",
        "CountsTests/aMemoryHasASecondCap",
    ),
    "a loss of what is kept only": _library(
        "Counts.swift",
        "drawn + BigUInt(UInt64(symbols)) * BigUInt(threshold), over: drawn",
        "drawn + BigUInt(threshold), over: drawn",
        "CountsTests/thresholdsAndLossesAreExact",
    ),
    "a gain that isn't one": _library(
        "Exact.swift",
        "let gain = e - (BigUInt(1) << precision)",
        "let gain = e",
        "CountsTests/thresholdsAndLossesAreExact",
    ),
    "a cap without an end": _library(
        "Exact.swift",
        "guard cap >= capMin, cap <= capMax else",
        "guard cap >= capMin else",
        "CountsTests/badParameters",
    ),
    "counts that aren't checked": _library(
        "Manifest.swift",
        'try check(counts != nil || json["counts"] == nil, "counts")',
        'try check(true, "counts")',
        "CountsTests/aSettingForCountsIsReadAsPythonReadsIt",
    ),
    "a day without an end": _library(
        "Setting.swift",
        "wordsOfADay.contains(wordsADay)",
        "wordsADay >= 1",
        "CountsTests/aSettingForCountsIsReadAsPythonReadsIt",
    ),
    "a share above one": _library(
        "Setting.swift",
        "(0...1).contains($0) ? $0 : nil",
        "$0 >= 0 ? $0 : nil",
        "CountsTests/aSettingForCountsIsReadAsPythonReadsIt",
    ),
    # A day's sample.
    "a sample of the last words": _library(
        "Reporter.swift",
        "if place < most { words[place] = released }",
        "words[place % most] = released",
        SAMPLED,
    ),
    "a place too many": _library(
        "Reporter.swift",
        "if place < most {",
        "if place <= most {",
        "ReporterTests/theSampleIsUniform",
    ),
    "a place among those before": _library(
        "Reporter.swift",
        "uniform(below: seen)",
        "uniform(below: seen - 1)",
        "ReporterTests/theSampleIsUniform",
    ),
    "a budget that pays for all words": _library(
        "Reporter.swift",
        "min(words.count, most - day.words.count)",
        "words.count",
        "ReporterTests/aBudgetPaysForWhatLeavesAndNoMore",
    ),
    "a budget that never pays": _library(
        "Reporter.swift",
        "if let budget, new > 0 {",
        "if let budget, new < 0 {",
        "ReporterTests/whatIsRefusedIsntReleased",
    ),
    "a failure that keeps some": _library(
        "Reporter.swift",
        "{ try taken.take(released, most: most, random) }",
        "{ try day.take(released, most: most, random) }",
        "ReporterTests/aFailureLeavesTheSample",
    ),
    "words in the order in which they came": _library(
        "Reporter.swift",
        "sample.words.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }",
        "",
        "ReporterTests/aBatchKeepsNoOrder",
    ),
    "a day that goes on": _library(
        "Reporter.swift",
        "(day.words, day.seen) = ([], 0)",
        "day.words = []",
        "ReporterTests/aBatchIsAsDocumented",
    ),
    "a day that begins when it is asked for": _library(
        "Reporter.swift",
        "(date.timeIntervalSince1970 / secondsOfDay).rounded(.down) * secondsOfDay",
        "date.timeIntervalSince1970",
        "ReporterTests/thePeriodIsADay",
    ),
    "a period's days without the one it begins in": _library(
        "Reporter.swift",
        ".rounded(.up)) + 1)",
        ".rounded(.up)))",
        "ReporterTests/aMemorysBatchSaysHowOftenAWordCanRepeat",
    ),
    "another setting's sample": _library(
        "Reporter.swift",
        "day.setting == new.setting,",
        "",
        STORED,
    ),
    "another bundle's sample": _library(
        "Reporter.swift",
        "day.bundle == new.bundle, ",
        "",
        STORED,
    ),
    "a sample of any size": _library(
        "Reporter.swift",
        "day.words.count == min(day.seen, most), ",
        "",
        STORED,
    ),
    "a number without an end": _library(
        "Reporter.swift",
        "day.seen < seenMost,",
        "",
        STORED,
    ),
    "a stored word as it was typed": _library(
        "Reporter.swift",
        "counts.bundle.vocabulary.find(Array($0.utf8)) != nil",
        "counts.bundle.vocabulary.find($0) != nil",
        STORED,
    ),
    # The parts of a keyboard: consent, outbox, upload, vaults, updates.
    "a release without consent": _parts(
        "Releaser.swift",
        "self.consent.whileGiven { self.release(typed, bundle) } ?? .off",
        "self.release(typed, bundle)",
        "BrrkitKeyboardTests.ReleaserTests/withoutConsentNothingIsDrawnKeptOrSpent",
    ),
    "a withdrawal that keeps what waits": _parts(
        "Consent.swift",
        "            try deleteDurably(file)\n            try outbox?.clear()",
        "            try deleteDurably(file)",
        "BrrkitKeyboardTests.ReleaserTests/withoutConsentNothingIsDrawnKeptOrSpent",
    ),
    "a withdrawal that a crash undoes": _parts(
        "Consent.swift",
        "if !isGiven { try outbox?.clear() }",
        "",
        "BrrkitKeyboardTests.OutboxTests/aWithdrawalOutlivesACrash",
    ),
    "an app's limit that nothing holds to": _parts(
        "ReleaseSettings.swift",
        "guard allows(strength, on: bundle) else {",
        "if false {",
        "BrrkitKeyboardTests.ReleaserTests/aStrengthAboveTheAppsLimitReleasesNothing",
    ),
    "a limit on the middle of what was measured": _parts(
        "ReleaseSettings.swift",
        "measured.attackSuccess.high <=",
        "measured.attackSuccess.low <=",
        "DemoKeyboardTests.OffersTests/theAppsLimitIsThatOfTheOffers",
    ),
    "a limit on a stronger epsilon": _parts(
        "ReleaseSettings.swift",
        ".first { $0.epsilon >= epsilon }",
        ".last { $0.epsilon <= epsilon }",
        "BrrkitKeyboardTests.ReleaserTests/aStrengthAboveTheAppsLimitReleasesNothing",
    ),
    "what was not measured is allowed": _parts(
        "ReleaseSettings.swift",
        "bundle.measured(strength) else { return false }",
        "bundle.measured(strength) else { return true }",
        "BrrkitKeyboardTests.ReleaserTests/aStrengthAboveTheAppsLimitReleasesNothing",
    ),
    "a day that leaves before it is over": _parts(
        "Outbox.swift",
        "if let batch = try read(batchSuffix, number, key), batch.isClosed { return batch }",
        "if let batch = try read(batchSuffix, number, key) { return batch }",
        "BrrkitKeyboardTests.OutboxTests/aDayLeavesWhenItIsOver",
    ),
    "a day that was sent is begun again": _parts(
        "Outbox.swift",
        "return max(today, closed + 1)",
        "return today",
        "BrrkitKeyboardTests.OutboxTests/aDayThatWasSentIsNotBegunAgain",
    ),
    "words in the order of typing on disk": _parts(
        "Outbox.swift",
        "reporter.sample.sorted",
        "reporter.sample",
        "BrrkitKeyboardTests.OutboxTests/aDayLeavesWhenItIsOver",
    ),
    "an outbox in plain text": _parts(
        "OutboxKey.swift",
        "return batchMagic + Array(box.combined!)",
        "_ = box\n        return batchMagic + content",
        "BrrkitKeyboardTests.OutboxTests/filesAreEncrypted",
    ),
    "a file under any number": _parts(
        "OutboxKey.swift",
        "Data(batchMagic + withUnsafeBytes(of: Int64(number).bigEndian, Array.init))",
        "Data(batchMagic)",
        "BrrkitKeyboardTests.OutboxTests/whatWasChangedIsDroppedAndCounted",
    ),
    "a fallback while the vault is locked": _parts(
        "FallbackVault.swift",
        "catch  where refusesForGood(error) {",
        "catch {",
        "BrrkitKeyboardTests.VaultTests/aLockedVaultGetsNoFallback",
    ),
    "a locked Keychain is given up": _parts(
        "KeychainVault.swift",
        "status == errSecMissingEntitlement || status == errSecNotAvailable",
        "status != errSecSuccess",
        "BrrkitKeyboardTests.VaultTests/onlySomeAnswersOfTheKeychainAreForGood",
    ),
    "two bundles in a period": _parts(
        "BundleStore.swift",
        "unit == nil || unit == new.digest",
        "true",
        "BrrkitKeyboardTests.BundleStoreTests/theOldBundleGoesOnUntilItsPeriodHasEnded",
    ),
    "any bundle is installed": _parts(
        "BundleStore.swift",
        "guard opened.manifestDigest == manifestDigest else {",
        "if false {",
        "BrrkitKeyboardTests.BundleStoreTests/anotherOrADamagedBundleIsRefused",
    ),
    "a redirection is followed": _parts(
        "Uploader.swift",
        "{ completionHandler(nil) }",
        "{ completionHandler(request) }",
        "BrrkitKeyboardTests.UploaderTests/anythingElseIsTriedLater",
    ),
    "an upload without consent": _parts(
        "Uploader.swift",
        "guard consent.isGiven else { return end(.off) }",
        "",
        "BrrkitKeyboardTests.UploaderTests/withoutConsentNothingIsSent",
    ),
    "an address without TLS": _parts(
        "Uploader.swift",
        'guard receiver.scheme == "https" else {',
        "if false {",
        "BrrkitKeyboardTests.UploaderTests/addressesAreHttps",
    ),
    "a text of several words released": _parts(
        "TypedWords.swift",
        "if isSeparator(text) {",
        'if isSeparator(String(text.last ?? " ")) {',
        "BrrkitKeyboardTests.TypedWordsTests/whatWasNotTypedIsNeverReturned",
    ),
}


def copy(folder: Path) -> Path:
    """Make what the tests read, in ``work``, and a copy of the package beside it."""
    work = folder / "work"
    subprocess.run(
        ["sh", "tests/phones/prepare.sh", str(work), "100", "64"],
        cwd=ROOT,
        env={**os.environ, "BIN": str(Path(sys.executable).parent)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    package = folder / "package"
    shutil.copytree(ROOT / "ios_demo", package / "ios_demo")
    shutil.copy(ROOT / "Package.swift", package)
    return package / "ios_demo"


def swift(demo: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run swift in a copy of the package. Swift may see no other folder than this and /tmp."""
    return subprocess.run(
        ["timeout", str(PATIENCE), str(demo / "swift.sh"), *arguments],
        check=False,
        env={**os.environ, "BRR_WORK": str(demo.parents[1] / "work")},
        capture_output=True,
        text=True,
    )


def failures(demo: Path, tests: list[str]) -> list[str]:
    """Return the tests that fail in a copy of the package, among those that patterns name.

    Raises:
        RuntimeError: it isn't compiled, or no test ran.
    """
    built = swift(demo, "build", "--build-tests")
    if built.returncode:
        errors = [line for line in built.stdout.splitlines() if "error:" in line]
        raise RuntimeError("\n".join(errors) or built.stdout + built.stderr)
    options = ("test", "--skip-build", "--disable-xctest", "--filter", "|".join(tests))
    ended = swift(demo, *options)
    started = re.findall(r"Test (\w+)\(.*\) started", ended.stdout)
    if not started:
        raise RuntimeError(f"no test ran: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    failed = re.findall(r"Test (\w+)\(.*\).* failed after", ended.stdout)
    if ended.returncode == 0 or failed:
        return sorted(set(failed))
    passed = re.findall(r"Test (\w+)\(.*\) passed after", ended.stdout)
    how = "without an end" if ended.returncode == 124 else "trapped"
    return [f"{name} ({how})" for name in sorted(set(started) - set(passed))]


if __name__ == "__main__":
    sys.exit(try_all(sys.argv[1:], MUTATIONS, copy, failures))
