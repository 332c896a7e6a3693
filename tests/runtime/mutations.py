"""Break Python's memory, leases, radius and certificates, one place at a time: a test must fail.

    python tests/runtime/mutations.py [--list] [NAME ...]

Takes about ten seconds for each. Each mutation is made in a copy of the packages, which the tests
then import in place of the installed ones; only those run that must notice. Prints who killed what,
and exits with 1 if one survives. What ``make test`` runs is the tests; this is for whoever changes
them, and ``test_python_mutations.py`` holds the list against the code. All have been run: none
survives.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import try_all
from mutate_python import copy, failures, mutation

_runtime = partial(mutation, "runtime")
_toolchain = partial(mutation, "toolchain")

FIELDS = "test_memory.py::test_every_field_gives_another_stream"
STREAM = "test_memory.py::test_the_stream_is_hmac_of_the_documented_bytes"
GOLDEN = "test_memory.py::test_golden_cases"
PERIODS = "test_memory.py::test_every_period_has_a_key_of_its_own"
STATISTICS = "test_memory_statistics.py"
CERTIFICATE = "test_privatizer.py::test_a_certificate_that_isn_t_for_this"
TABLE = "test_exact.py::test_weight_table_is_the_specified_one"
CAP = "test_exact.py::test_a_cap_is_a_floor_of_the_weights"
BASE = "test_base.py::test_a"
COUNTS = "test_counts.py"
CALLS = "../toolchain/test_parity.py::TestGoldenCases::test_calls_are_the_runtime_s"
THEOREM = "test_exact.py::test_weight_table_satisfies_the_theorem"
LOSS = "test_certify.py::test_the_loss_is_right_to_the_last_bit"
VERIFY = "test_verify.py::TestCertificate"

MUTATIONS = {
    # The memory: what its first draws depend on.
    "a memory keyed by the code alone": _runtime(
        "privatizer.py",
        "vocabulary.word(word_id), known=True)",
        "self._bundle.codes[word_id].tobytes().hex(), known=True)",
        f"{STATISTICS}::test_two_words_are_drawn_independently",
    ),
    "a memory keyed by what was typed": _runtime(
        "privatizer.py",
        "vocabulary.word(word_id), known=True)",
        "word, known=True)",
        "test_memory.py::test_a_word_is_drawn_the_same_for_a_period",
    ),
    "unknown words as they were typed": _runtime(
        "privatizer.py",
        "normalize(word), known=False)",
        "word, known=False)",
        "test_memory.py::test_a_budget_counts_a_word_once_in_a_period",
    ),
    "a first draw without its domain": _runtime("memory.py", "            _DOMAIN,\n", "", STREAM),
    "a first draw without its period": _runtime(
        "memory.py", "            _eight(self.number),\n", "", FIELDS
    ),
    "a first draw without its bundle": _runtime(
        "memory.py",
        "            unit.encode(),\n",
        "",
        f"{STATISTICS}::test_two_settings_and_two_bundles_are_independent",
    ),
    "a first draw without its setting": _runtime(
        "memory.py",
        "            *setting,\n",
        "            setting[0],\n",
        f"{STATISTICS}::test_two_settings_and_two_bundles_are_independent",
    ),
    "a first draw without its mechanism": _runtime(
        "memory.py", "            *setting,\n", "            setting[1],\n", FIELDS
    ),
    "known and unknown words alike": _runtime(
        "memory.py", 'b"known" if known else b"unknown"', 'b"known"', FIELDS
    ),
    "fields without their lengths": _runtime(
        "memory.py", 'b"".join(map(_field, fields))', 'b"".join(fields)', FIELDS
    ),
    "blocks without a counter": _runtime(
        "memory.py",
        "self.message + _field(_eight(block))",
        "self.message + _field(_eight(0))",
        "test_memory.py::test_the_stream_is_the_same_however_it_is_read",
    ),
    "the first block for a tag": _runtime(
        "memory.py",
        'hmac.digest(self.secret, self.message, "sha256")',
        'hmac.digest(self.secret, self.message + _field(_eight(0)), "sha256")',
        STREAM,
    ),
    "a key that is shown": _runtime(
        "memory.py",
        "@dataclass(frozen=True, repr=False)\nclass MemoryKey:",
        "@dataclass(frozen=True)\nclass MemoryKey:",
        "test_memory.py::test_nothing_typed_and_no_key_is_shown_or_stored",
    ),
    "a setting without its table": _runtime(
        "mechanisms/exponential.py",
        "hashlib.sha256(self.weights.astype",
        "hashlib.sha256(self.weights[:1].astype",
        f"{STATISTICS}::test_two_settings_and_two_bundles_are_independent",
    ),
    # The memory: its second draws.
    "the second draw skipped": _runtime(
        "privatizer.py",
        "released = self._second(codes[first], self._random, before)",
        "released = np.array(first)",
        f"{STATISTICS}::test_releases_are_fresh_draws_of_the_first",
    ),
    "the first draw skipped": _runtime(
        "privatizer.py",
        "released = self._second(codes[first], self._random, before)",
        "released = self._second(codes[ids], self._random, before)",
        f"{STATISTICS}::test_releases_are_fresh_draws_of_the_first",
    ),
    "the second draw from the memory's stream": _runtime(
        "privatizer.py",
        "released = self._second(codes[first], self._random, before)",
        "released = self._second(codes[first], found[0][1] if found else self._random, before)",
        f"{STATISTICS}::test_releases_are_fresh_draws_of_the_first",
    ),
    "the second epsilon for the first": _runtime(
        "privatizer.py",
        "second_epsilon = min(2 * self.epsilon, EPSILON_MAX)",
        "second_epsilon = self.epsilon",
        "test_memory.py::test_second_epsilon_is_twice_the_first_by_default",
    ),
    # Texts.
    "texts paid one by one": _runtime(
        "privatizer.py",
        "released = self._released([tokenize(text) for text in texts])",
        "released = [self._released([tokenize(text)])[0] for text in texts]",
        "test_privatizer.py::test_all_texts_are_paid_for_or_none_is_released",
    ),
    "all texts drawn as one": _runtime(
        "privatizer.py",
        "return [self._drawn(list(islice(found, len(each))), before) for each in lists]",
        "drawn = iter(self._drawn(list(found), before))\n"
        "        return [list(islice(drawn, len(each))) for each in lists]",
        "test_privatizer.py::test_texts_are_each_text_with_the_same_random_bytes",
    ),
    # The memory: its key and its period.
    "a period that never ends": _runtime(
        "memory.py", "if period.elapsed >= self._length:", "if False:", PERIODS
    ),
    "the old key for the next period": _runtime(
        "memory.py",
        "key = _new_key(min(stored.key.number + 1, _NUMBER_MAX))",
        "key = MemoryKey(min(stored.key.number + 1, _NUMBER_MAX), stored.key.secret)",
        PERIODS,
    ),
    "the old key kept beside the new": _runtime(
        "memory.py",
        "        if period.elapsed >= self._length:\n",
        "        if period.elapsed >= self._length:\n"
        '            Path(f"{self.key_file}.old").write_bytes(content)\n',
        PERIODS,
    ),
    "the next period as old as the last": _runtime(
        "memory.py", "_State(key, replace(period, elapsed=0))", "_State(key, period)", PERIODS
    ),
    "a key that isn't stored": _runtime(
        "memory.py",
        "    file.replace(f'",
        "    (f'",
        "test_memory.py::test_another_object_and_a_deleted_file",
    ),
    "a key of few bits": _runtime(
        "memory.py",
        "os.urandom(_KEY)",
        "os.urandom(1) + bytes(_KEY - 1)",
        "test_memory.py::test_keys_are_the_system_s",
    ),
    "another key for a damaged one": _runtime(
        "memory.py",
        "if content is None:",
        "if content is None or _parsed(content) is None:",
        "test_memory.py::test_no_damage_gives_another_key",
    ),
    "a key whose digest is wrong": _runtime(
        "memory.py",
        "if hashlib.sha256(fields).hexdigest() != digest.decode():",
        "if False:",
        "test_memory.py::test_no_damage_gives_another_key",
    ),
    "a restart that isn't stored": _runtime(
        "memory.py",
        "if not stored.period.is_of(now):",
        "if False:",
        "test_memory.py::test_a_period_is_counted_as_a_budget_s",
    ),
    "a refused word taken for paid": _runtime(
        "memory.py",
        "        pay(len(new))\n        paid |= new",
        "        paid |= new\n        pay(len(new))",
        "test_memory.py::test_what_a_budget_refuses_isn_t_taken_for_paid",
    ),
    "words of the last period are paid for": _runtime(
        "memory.py",
        "{draw.tag for draw in draws} - paid",
        "set(list({draw.tag for draw in draws})[len(paid):])",
        "test_memory.py::test_a_budget_counts_a_word_once_in_a_period",
    ),
    # The budget's leases.
    "a lease that a child inherits": _runtime(
        "lease.py",
        "return self._made_in is not Own._process",
        "return False",
        "test_lease.py::test_a_lease_is_not_inherited_or_copied",
    ),
    "a lease after its period": _runtime(
        "lease.py",
        "            and self.period.elapsed + now.uptime - self.period.uptime < length\n",
        "",
        "test_lease.py::test_a_lease_isn_t_spent_in_a_period_that_another_began",
    ),
    "a lease in the next period": _runtime(
        "budget.py",
        "lease.unit == state.unit and state.period.continues(lease.period)",
        "state.unit in ('', lease.unit)",
        "test_lease.py::test_a_lease_of_an_older_period_buys_nothing_in_the_next",
    ),
    "a lease after a restart": _runtime(
        "lease.py",
        "            and self.period.is_of(now)\n",
        "",
        "test_lease.py::test_a_lease_ends_with_a_restart",
    ),
    "a lease of another unit": _runtime(
        "lease.py",
        "            and unit == self.unit\n",
        "",
        "test_lease.py::test_a_lease_is_of_one_unit",
    ),
    "a lease that isn't stored": _runtime(
        "budget.py",
        "replace(state, unit=unit, spent=spent)",
        "replace(state, unit=unit, spent=state.spent + max(cost - lease.stored, 0))",
        "test_lease.py::test_a_crash_gives_no_lease_back",
    ),
    "a lease of all that is left": _runtime(
        "lease.py",
        "left // _SHARE",
        "left",
        "test_lease.py::test_leases_leave_the_others_most_of_what_is_left",
    ),
    "a lease beyond what was released": _runtime(
        "lease.py",
        "min(self.released, left // _SHARE)",
        "left // _SHARE",
        "test_lease.py::test_a_crash_gives_no_lease_back",
    ),
    "a lease that isn't used up": _runtime(
        "lease.py",
        "        self.stored -= cost\n",
        "",
        "test_lease.py::test_a_lease_needs_no_disk_and_what_is_beyond_it_does",
    ),
    "threads without a lock": _runtime(
        "budget.py",
        "        with own.lock:\n",
        "        if own.lock:\n",
        "test_lease.py::test_threads_share_a_lease",
    ),
    "a damaged state is used up": _runtime(
        "budget.py",
        "        with own.lock, locked(self.state_file, BudgetFileError) as file:",
        "        with own.lock, locked(self.state_file, BudgetError) as file:  # type: ignore",
        "test_state_file.py::test_what_isn_t_a_file_is_refused_at_once",
    ),
    # The radius and its table.
    "a radius that isn't monotone": _runtime(
        "exact.py",
        "    return weights\n",
        "    weights[0] -= weights[0] // 8 if radius else 0\n    return weights\n",
        TABLE,
    ),
    "a radius one too small": _runtime(
        "exact.py",
        "(_GENTLE, radius), (1, bits - radius)",
        "(_GENTLE, max(radius - 1, 0)), (1, bits - max(radius - 1, 0))",
        TABLE,
    ),
    "as steep within the radius": _runtime("exact.py", "_GENTLE = 8", "_GENTLE = 1", TABLE),
    "a table one step too steep": _runtime(
        "exact.py",
        "    return weights\n",
        "    return weights[: radius + 1] + weights[radius + 2 :] + weights[-1:]\n",
        THEOREM,
    ),
    "a table of twice epsilon": _runtime(
        "exact.py",
        "half = Fraction(check_epsilon(epsilon)) / 2",
        "half = Fraction(check_epsilon(epsilon))",
        "test_mechanisms.py::test_metric_privacy_over_all_pairs",
    ),
    "a growth rounded up": _runtime(
        "exact.py", "e >> (precision - 64))", "(e >> (precision - 64)) + 1)", THEOREM
    ),
    "weights rounded down": _runtime(
        "exact.py",
        "weights.append(max(-(-(weights[-1] << 64) // growth), least))",
        "weights.append(max((weights[-1] << 64) // growth, least))",
        THEOREM,
    ),
    "a total beyond 63 bits": _runtime(
        "exact.py", "[(2**63 - 1) // total]", "[2**63 // total]", THEOREM
    ),
    "an effective epsilon rounded down": _runtime(
        "exact.py",
        "    while not reaches(value):\n        value = math.nextafter(value, math.inf)\n",
        "    value = math.nextafter(value, 0)\n",
        "test_exact.py::test_effective_epsilons_are_rounded_up",
    ),
    "the first step for the steepest": _runtime(
        "exact.py",
        "if near * steepest[1] > far * steepest[0]:",
        "if steepest == (1, 1):",
        "test_mechanisms.py::test_effective_epsilon_is_at_most_the_requested_one",
    ),
    # The base measure, the cap, and the word released before.
    "a floor rounded down": _runtime(
        "exact.py",
        "-(-(weights[0] << 64) // _growth(Fraction(cap) / 2))",
        "(weights[0] << 64) // _growth(Fraction(cap) / 2)",
        CAP,
    ),
    "a floor for the whole cap": _runtime(
        "exact.py", "_growth(Fraction(cap) / 2)", "_growth(Fraction(cap))", CAP
    ),
    "no floor": _runtime(
        "mechanisms/exponential.py", "self.radius, self.cap)", "self.radius)", f"{BASE}_cap_binds"
    ),
    "a total of the masses alone": _runtime(
        "mechanisms/exponential.py",
        "most = self.model.most",
        "most = self.model.total",
        f"{BASE}_draw_is_exact_at_every_boundary",
    ),
    # Words for counts.
    "a symbol that is kept too often": _runtime(
        "exact.py",
        "(gain << 63) // (gain + (symbols << precision))",
        "-(-(gain << 63) // (gain + (symbols << precision)))",
        f"{COUNTS}::TestThreshold",
    ),
    "a threshold that is kept": _runtime(
        "counts.py",
        "number < self.threshold",
        "number <= self.threshold",
        f"{COUNTS}::TestDraw::test_it_changes_at_the_threshold",
    ),
    "a second number only where the first doesn't keep": _runtime(
        "counts.py",
        "drawn = uniform_below(self.symbols, random)",
        "drawn = 0 if number < self.threshold else uniform_below(self.symbols, random)",
        f"{COUNTS}::TestDraw::test_what_is_done_does_not_tell_a_kept_symbol",
    ),
    "a branch on what is kept": _runtime(
        "counts.py",
        "(drawn, symbol)[number < self.threshold]",
        "symbol if number < self.threshold else drawn",
        f"{COUNTS}::TestDraw::test_what_is_done_for_a_word_does_not_tell_a_kept_one",
    ),
    "unknown words that never come out by chance": _runtime(
        "counts.py",
        "uniform_below(self.symbols, random)",
        "uniform_below(self.symbols - 1, random)",
        f"{COUNTS}::test_outputs_are_distributed_as_proven",
    ),
    "a loss without the drawn symbol": _runtime(
        "counts.py",
        "drawn + self.symbols * self.threshold",
        "self.symbols * self.threshold",
        f"{COUNTS}::TestThreshold::test_no_two_symbols_lose_more_than_the_cap",
    ),
    "a day's sample that favors the first": _runtime(
        "reporter.py",
        "uniform_below(self._seen, self._random)",
        "uniform_below(self._seen + 1, self._random)",
        f"{COUNTS}::TestReporter::test_the_sample_is_uniform",
    ),
    "a budget for every word that is typed": _runtime(
        "reporter.py",
        "min(len(words), self._most - len(self._sample))",
        "len(words)",
        f"{COUNTS}::TestReporter::test_a_budget_is_of_what_leaves",
    ),
    # The order of random bytes: what golden cases say of it.
    "a call word by word": _runtime(
        "privatizer.py",
        "        return self._spelled(self._released([words])[0])\n",
        "        drawn = map(self.stream().word, words)\n"
        "        return [word for word in drawn if word is not None]\n",
        CALLS,
    ),
    "unknown words of all texts first": _runtime(
        "privatizer.py",
        "        found = iter(zip(looked_up, self._paid_sources(words, looked_up), strict=True))\n",
        "        drawn = [\n"
        '            i if i is not None or self._oov != "random"\n'
        "            else uniform_below(len(self._bundle), self._random)\n"
        "            for i in looked_up\n"
        "        ]\n"
        "        found = iter(zip(drawn, self._paid_sources(words, looked_up), strict=True))\n",
        CALLS,
    ),
    "a text that ends at a word that is left out": _runtime(
        "privatizer.py",
        "        if not released:\n",
        "        if not released:\n            self._before = None\n",
        "../toolchain/test_parity.py::TestGoldenCases::test_streams_are_the_runtime_s",
    ),
    "a place before the next word": _runtime(
        "reporter.py",
        "for released in self._counts.words(words):",
        "for released in map(self._counts.word, words):",
        "../toolchain/test_parity.py::TestGoldenCases::test_samples_are_the_runtime_s",
    ),
    "masses that are ignored": _runtime(
        "mechanisms/exponential.py",
        "LEVELS[self.model.words].astype(float)",
        "np.ones(len(bundle))",
        f"{BASE}_draw_is_exact_at_every_boundary",
    ),
    "a word that stays the history": _runtime(
        "mechanisms/exponential.py",
        "ids[row] = before = self._word_at(",
        "ids[row] = self._word_at(",
        "test_base.py::test_the_words_of_a_text_follow_one_another",
    ),
    "gains of any word": _runtime(
        "masses.py",
        "last = bisect_left(places, before + 1, lo=first, key=self.before.__getitem__)",
        "last = self.bigrams",
        "test_masses.py::test_what_follows_a_word_is_found",
    ),
    "one sum of all gains": _runtime(
        "masses.py",
        "int(self._gained().max(initial=0))",
        "int(self._gained().sum())",
        "test_masses.py::test_the_sums_of_masses",
    ),
    "a text that goes on in the next": _runtime(
        "privatizer.py",
        "return [self._drawn(list(islice(found, len(each))), before) for each in lists]",
        "result = []\n"
        "        for each in lists:\n"
        "            result.append(self._drawn(list(islice(found, len(each))), before))\n"
        "            before = result[-1][-1] if result[-1] else before\n"
        "        return result",
        "test_base.py::test_each_text_begins_anew",
    ),
    "a stream without a memory of its own": _runtime(
        "privatizer.py",
        "        self._before = released[0]\n",
        "",
        "test_base.py::test_the_words_of_a_text_follow_one_another",
    ),
    "a first draw with a history": _runtime(
        "privatizer.py",
        "self.mechanism(codes[word_id : word_id + 1], source)[0]",
        "self.mechanism(codes[word_id : word_id + 1], source, before)[0]",
        "test_base.py::test_a_memory_s_first_draw_has_no_history",
    ),
    "a setting without its base": _runtime(
        "mechanisms/exponential.py",
        '(b"\\0" if alike else b"\\1")',
        'b"\\0"',
        "test_base.py::test_what_draws_alike_has_one_setting",
    ),
    "masses of 0": _runtime(
        "masses.py",
        "if levels.size and not levels.min():",
        "if False:",
        "test_bundle.py::test_a_mass_of_0_is_refused",
    ),
    "bigrams of missing words": _runtime(
        "masses.py",
        "if ids.max(initial=0) >= len(self):",
        "if False:",
        "test_bundle.py::test_bigrams_of_a_missing_word_are_refused",
    ),
    "bigrams in any order": _runtime(
        "masses.py",
        "+ after) > 0):",
        "+ after) > -(2**62)):",
        "test_bundle.py::test_bigrams_that_aren_t_in_order_are_refused",
    ),
    "sums beyond 2^47": _runtime(
        "masses.py",
        "if self.most > MOST:",
        "if self.total > MOST:",
        "test_masses.py::test_no_sum_is_more_than_fits",
    ),
    "another radius by default": _runtime(
        "mechanisms/exponential.py",
        "_SHARE = 8 ",
        "_SHARE = 16 ",
        "test_mechanisms.py::test_radius_is_a_number_of_bits",
    ),
    "a radius below 0": _runtime(
        "mechanisms/exponential.py",
        "if not 0 <= radius <= bits:",
        "if not radius <= bits:",
        "test_mechanisms.py::test_bad_radius",
    ),
    "a radius beyond the bits": _runtime(
        "mechanisms/exponential.py",
        "if not 0 <= radius <= bits:",
        "if not 0 <= radius:",
        "test_mechanisms.py::test_bad_radius",
    ),
    # Certificates on the device.
    "a certificate of another bundle": _runtime(
        "privatizer.py",
        "if certificate.index != bundle.digest:",
        "if not certificate.index:",
        CERTIFICATE,
    ),
    "a certificate below half of epsilon": _runtime(
        "privatizer.py",
        "if not epsilon / 2 <= certificate.certified_epsilon <= epsilon:",
        "if not certificate.certified_epsilon <= epsilon:",
        CERTIFICATE,
    ),
    "a certificate above epsilon": _runtime(
        "privatizer.py",
        "if not epsilon / 2 <= certificate.certified_epsilon <= epsilon:",
        "if not epsilon / 2 <= certificate.certified_epsilon:",
        CERTIFICATE,
    ),
    "a certificate of any mechanism": _runtime(
        "privatizer.py", "if not isinstance(mechanism, Exponential):", "if False:", CERTIFICATE
    ),
    "a certificate that nobody checks": _runtime(
        "privatizer.py",
        "        _check_certificate(setting, bundle, mechanism)\n",
        "",
        CERTIFICATE,
    ),
    "a certificate without effect": _runtime(
        "privatizer.py",
        "certified = setting.certified_epsilon",
        "certified = None",
        "test_privatizer.py::test_a_certificate_changes_no_weights",
    ),
    "a certified epsilon for the parameter": _runtime(
        "privatizer.py",
        "setting.mechanism, bundle, setting.epsilon, setting.parameters",
        "setting.mechanism, bundle, setting.certified_epsilon or setting.epsilon, "
        "setting.parameters",
        "test_privatizer.py::test_a_certificate_changes_no_weights",
    ),
    "a budget of the parameter": _runtime(
        "privatizer.py",
        "self._budget.spend(self.certified_epsilon, len(words), unit=digest)",
        "self._budget.spend(self.epsilon, len(words), unit=digest)",
        "test_privatizer.py::test_a_budget_counts_the_certified_epsilon",
    ),
    "a budget of the parameter, with a memory": _runtime(
        "privatizer.py",
        "partial(self._budget.spend, self.certified_epsilon, unit=digest)",
        "partial(self._budget.spend, self.epsilon, unit=digest)",
        "test_privatizer.py::test_a_budget_counts_the_certified_epsilon",
    ),
    "a certificate for an epsilon that is given": _runtime(
        "privatizer.py",
        "create_mechanism(name, bundle, epsilon, parameters)\n        elif",
        "create_mechanism(name, bundle, epsilon, parameters)\n"
        "            certified = bundle.recommended and bundle.recommended.certified_epsilon\n"
        "        elif",
        "test_privatizer.py::test_a_given_epsilon_has_no_certificate",
    ),
    "second draws of twice the certified epsilon": _runtime(
        "privatizer.py",
        "min(2 * self.epsilon, EPSILON_MAX)",
        "min(2 * self.certified_epsilon, EPSILON_MAX)",
        "test_privatizer.py::test_second_draws_have_twice_the_parameter",
    ),
    # Certificates where they are made and checked.
    "a loss rounded down": _toolchain(
        "calibrate/certify.py",
        "privacy_loss = max(privacy_loss, log_up(near * high, far * low, bits))",
        "privacy_loss = max(\n"
        "            privacy_loss, float(np.nextafter(log_up(near * high, far * low, bits), 0)))",
        LOSS,
    ),
    "a loss per pair for one per bit": _toolchain(
        "calibrate/certify.py", "far * low, bits))", "far * low, 1))", LOSS
    ),
    "the weight's half of the loss alone": _toolchain(
        "calibrate/certify.py",
        "log_up(near * high, far * low, bits)",
        "log_up(near, far, bits)",
        LOSS,
    ),
    "the normalizer's half of the loss alone": _toolchain(
        "calibrate/certify.py",
        "log_up(near * high, far * low, bits)",
        "log_up(high, low, bits)",
        LOSS,
    ),
    "the weights' fall at the word itself": _toolchain(
        "calibrate/certify.py",
        "for i in range(len(weights) - bits):",
        "for i in range(1):",
        LOSS,
    ),
    "the weights' last fall left out": _toolchain(
        "calibrate/certify.py",
        "for i in range(len(weights) - bits):",
        "for i in range(len(weights) - bits - 1):",
        LOSS,
    ),
    "neighbours alone": _toolchain(
        "calibrate/certify.py",
        "for j in range(i + 1, len(totals)):",
        "for j in range(i + 1, i + 2):",
        LOSS,
    ),
    "the first range of rows alone": _toolchain(
        "calibrate/certify.py",
        "for rows in found:",
        "for rows in found[:1]:",
        "test_certify.py::test_pairs_in_the_last_range_of_rows_count",
    ),
    "the last range of rows for all": _toolchain(
        "calibrate/certify.py",
        "if numbers[i] * numbers[m] <= numbers[k] * numbers[j]:",
        "if False:",
        "test_certify.py::test_a_larger_vocabulary_needs_several_ranges_of_rows",
    ),
    "products of 64 bits": _toolchain(
        "calibrate/certify.py", "builder.zext(value, ir.IntType(128))", "value", LOSS
    ),
    "a certificate rounded down": _toolchain(
        "calibrate/certify.py",
        "rounding=ROUND_CEILING",
        "rounding=ROUND_FLOOR",
        "test_certify.py::test_a_certificate_is_rounded_up_to_few_digits",
    ),
    "a certificate that a device refuses": _toolchain(
        "calibrate/certify.py",
        "_rounded_up(max(loss, epsilon / 2))",
        "_rounded_up(loss)",
        VERIFY,
    ),
    "a certificate by any name": _toolchain(
        "calibrate/certify.py",
        "float(epsilon)), bundle.digest)",
        'float(epsilon)), "0" * 64)',
        VERIFY,
    ),
    "a loss that nobody compares": _toolchain(
        "verify/checks.py", "if privacy_loss > stated:", "if False:", VERIFY
    ),
    "a loss compared with the parameter": _toolchain(
        "verify/checks.py", "if privacy_loss > stated:", "if privacy_loss > epsilon:", VERIFY
    ),
    "the default radius for the stated one": _toolchain(
        "verify/checks.py",
        "        mechanism.radius,\n",
        "        bundle.bits // 8,\n",
        VERIFY,
    ),
}


if __name__ == "__main__":
    sys.exit(try_all(sys.argv[1:], MUTATIONS, copy, failures))
