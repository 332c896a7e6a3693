"""Break the toolchain, one place at a time: a test must fail each time.

    python tests/toolchain/mutations.py [--list] [NAME ...]

As ``tests/runtime/mutations.py``, which says more. These are what the dearest test files must
notice, however their time is cut.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutate import try_all
from mutate_python import copy, failures, mutation

_at = partial(mutation, "toolchain")

BOUNDS = "test_audit.py::TestBounds"
PAIRS = "test_audit.py::TestBroken::test_pairs"
VECTORS = "test_audit.py::TestBroken::test_laplace_noise_for_l2_where_l1_is_needed"
BASES = "test_audit.py::TestBroken::test_the_right_base_beside_them"
SEEDS = "test_audit.py::TestBroken::test_seeds"
GOALS = "test_calibrate.py::TestGoals"
GOLDEN = "test_verify.py::TestGoldenCases"
SOURCE = "test_verify.py::TestWrongSource"
RANDOM = "test_verify.py::TestRandomSource"
WORDS = "test_verify.py::TestWrongVocabulary"
SHOWN = "test_language.py::TestFrequent"
BATCHES = "test_corpus.py::TestBatches"

MUTATIONS = {
    # The audit.
    "shares for their bounds": _at(
        "audit/bounds.py",
        "return low - _log_high(second, draws, alpha / 2)",
        "return low - np.log(np.maximum(second, 1) / draws)",
        BOUNDS,
    ),
    "an audit that always passes": _at(
        "audit/inequality.py",
        "passed=not any(pair.violated for pair in pairs)",
        "passed=True",
        PAIRS,
    ),
    "events that are likely for the other word": _at(
        "audit/word_events.py",
        "np.argsort((other + 0.5) / (one + 0.5)",
        "np.argsort((one + 0.5) / (other + 0.5)",
        PAIRS,
    ),
    "only the first word of a text": _at(
        "audit/word_events.py",
        "    if not several:\n",
        "    if words:\n",
        PAIRS,
    ),
    "unknown words a bit apart": _at(
        "audit/comparisons.py",
        'among(instances.near, "unknown words", "words", unknown, 0, 4)',
        'among(instances.near, "unknown words", "words", unknown, 99, 4)',
        PAIRS,
    ),
    "scores of a word that aren't compared": _at(
        "audit/vector_events.py",
        "scores[kind, :, first] - scores[kind, :, second]",
        "scores[kind, :, first]",
        VECTORS,
    ),
    "the far pairs for the near ones": _at(
        "audit/instances.py",
        "apart <= np.partition(apart, _PAIRS)[_PAIRS]",
        "apart >= np.partition(apart, -_PAIRS)[-_PAIRS]",
        "test_audit.py::TestInstances",
    ),
    "words that may come back": _at(
        "audit/returned.py",
        "tail_bound(count, total, most) <= alpha",
        "tail_bound(count, total, most) <= 0",
        "test_audit.py::TestBroken::test_returned_words",
    ),
    "a word that always comes back": _at(
        "audit/returned.py",
        "passed=not violated and not leaking",
        "passed=not violated",
        "test_audit.py::TestBroken::test_returned_words",
    ),
    "repeats that chance explains": _at(
        "audit/fresh.py",
        "if log_probability(sequence) <= math.log(alpha / pairs)",
        "if sequence",
        "test_audit.py::TestRight::test_a_constant_is_private",
    ),
    "texts whose noise may repeat": _at(
        "audit/fresh.py", 'if "texts" in processes.ask(', 'if "text" in processes.ask(', SEEDS
    ),
    "code that is made once": _at("audit/fresh.py", "anew=True", "anew=False", SEEDS),
    "bytes that may come twice": _at(
        "audit/randomness.py",
        "    if repeated:\n",
        "    if False:\n",
        "test_audit.py::TestRandomSource",
    ),
    "twice the epsilon of the claim": _at(
        "audit/subject.py",
        "partial(self._make, instance.epsilon, mechanism",
        "partial(self._make, 2 * instance.epsilon, mechanism",
        "test_audit.py::TestRight::test_a_mechanism_passes",
    ),
    "a claim without its cap": _at(
        "audit/inequality.py",
        "claimed=min(epsilon * distance, cap)",
        "claimed=epsilon * distance",
        "test_audit.py::TestBroken::test_caps",
    ),
    "another cap than the claim's": _at(
        "audit/subject.py",
        'if parameters.get("cap") is not None:',
        "if False:",
        BASES,
    ),
    "words of a call that follow one another": _at(
        "audit/subject.py",
        "return self.calls(words) if self._history else",
        "return self.calls(words) if False else",
        "test_audit.py::TestRight::test_single_words_have_no_history",
    ),
    "a setting that is audited with another": _at(
        "audit/subject.py",
        "        if not instance.recommended:\n",
        "        if True:\n",
        "test_audit.py::TestBroken::test_a_certificate_that_promises_too_much",
    ),
    # Calibration.
    "a coarse search": _at("calibrate/roots.py", "_ACCURACY = 2e-4", "_ACCURACY = 1e-1", GOALS),
    "an epsilon beyond the goal": _at(
        "calibrate/roots.py",
        "floor(epsilon * unit) if down else ceil(epsilon * unit)",
        "ceil(epsilon * unit) if down else floor(epsilon * unit)",
        "test_sample_bundle.py::test_recommends_what_calibrate_finds",
    ),
    "a root on the wrong side of a step": _at(
        "calibrate/roots.py",
        "    while not met(number / unit):\n",
        "    while False:\n",
        "test_attack.py::TestRoots",
    ),
    "a goal that nobody can reach": _at(
        "calibrate/search.py", "    if most <= goal.target:\n", "    if False:\n", GOALS
    ),
    "the value for its bound": _at(
        "calibrate/search.py",
        "support.unchanged.high",
        "support.unchanged.value",
        GOALS,
    ),
    "a chosen epsilon that isn't rounded": _at(
        "calibrate/search.py",
        "rounded_to_meet(lambda _: True, found.epsilon, down=True)",
        "found.epsilon",
        "test_calibrate.py::TestCommand::test_what_was_calibrated_can_be_measured",
    ),
    "another attacker is written": _at(
        "calibrate/search.py",
        'self.attacker, "all", None, row.unchanged,',
        '"frequencies", "all", None, row.unchanged,',
        "test_calibrate.py::TestCommand::test_write",
    ),
    "an attacker of another class of words": _at(
        "calibrate/texts.py",
        "success(right[:, number, reading], self._places, self._chosen)",
        "success(right[:, number, 0], self._places, self._chosen)",
        "test_text_calibration.py::TestCommand::test_other_text_of_the_same_source",
    ),
    "a goal limits only the named attacker": _at(
        "attackers/guesses.py",
        "return ATTACKERS[: ATTACKERS.index(attacker) + 1]",
        "return (attacker,)",
        "test_text_calibration.py::TestSearch::test_a_goal_limits_who_knows_less_too",
    ),
    "who knows more may be weaker": _at(
        "attackers/success.py",
        "before = result[-1] if result else own",
        "before = own",
        "test_attackers.py::TestSuccess::test_who_knows_more_is_never_weaker",
    ),
    "content words are guessed among all words": _at(
        "attackers/success.py",
        "above[1] += higher & content[x]",
        "above[1] += higher",
        "test_attackers.py::TestSuccess::test_content_words_are_guessed_among_content_words",
    ),
    "a bundle's language without its pairs": _at(
        "attackers/knowledge.py",
        "(gains.gains / totals[before],",
        "(0 * gains.gains / totals[before],",
        "test_knowledge.py::test_a_bundle_s_language_is_what_a_device_draws_by",
    ),
    "outputs that are drawn without their number": _at(
        "calibrate/texts.py",
        "masses = np.cumsum(near.masses[inputs] * weights, axis=1)",
        "masses = np.cumsum(np.broadcast_to(weights, near.masses[inputs].shape), axis=1)",
        "test_text_calibration.py::TestSearch::test_outputs_are_drawn_by_the_weights",
    ),
    "success of all words is written for some": _at(
        "calibrate/texts.py",
        "self.attack.expected[goal.attacker][goal.over]",
        'self.attack.expected[goal.attacker]["all"]',
        "test_text_calibration.py::TestCommand::test_other_text_of_the_same_source",
    ),
    "another setting is measured": _at(
        "cli/measure.py",
        "parameters = dict(recommended.parameters)",
        "parameters = {}",
        "test_calibrate.py::TestCommand::test_what_was_calibrated_can_be_measured",
    ),
    "nothing certified": _at(
        "calibrate/search.py",
        "    certificate = None\n    if mechanism == DEFAULT_MECHANISM:\n",
        "    certificate = None\n    if False:\n",
        GOALS,
    ),
    "a limit that nobody keeps to": _at(
        "calibrate/search.py",
        "goal.worst and mechanism != DEFAULT_MECHANISM:",
        "goal.worst and False:",
        GOALS,
    ),
    "curves without their first point": _at(
        "measure/curves.py",
        "for estimated_loss in ESTIMATED_LOSSES]",
        "for estimated_loss in ESTIMATED_LOSSES[1:]]",
        "test_calibrate.py::TestCurves",
    ),
    "a mechanism that fails stops all": _at(
        "cli/calibrate.py",
        "    except ParameterError as error:\n",
        "    except ZeroDivisionError as error:\n",
        "test_calibrate.py::TestCommand::test_json_of_what_cannot_be_reached",
    ),
    # Verification.
    "a source that flips too seldom": _at(
        "verify/checks.py", "        if p_total < alpha:\n", "        if False:\n", RANDOM
    ),
    "a bit that flips at a wrong rate": _at(
        "verify/checks.py", "if by_position.min() * bundle.bits < alpha:", "if False:", RANDOM
    ),
    "noise that comes twice": _at(
        "verify/checks.py",
        "if epsilon == min(_FLIP_EPSILONS) and len(",
        "if not epsilon and len(",
        RANDOM,
    ),
    "another output": _at(
        "verify/checks.py",
        '    if _replay(bundle, case) != case["output"]:\n'
        '        raise CheckError(f"{PARITY}: case {number}',
        '    if not _replay(bundle, case):\n        raise CheckError(f"{PARITY}: case {number}',
        GOLDEN,
    ),
    "random bytes that are left": _at(
        "verify/checks.py", "return None if source.left else released", "return released", GOLDEN
    ),
    "a memory that the reference doesn't know": _at(
        "verify/checks.py",
        'if drawn != (case["first"], case["output"]):',
        "if not drawn:",
        GOLDEN,
    ),
    "what the reference says on the way": _at(
        "verify/checks.py", "if case.get(name) != value:", "if not name:", GOLDEN
    ),
    "cases of no mechanism": _at(
        "verify/checks.py", "    if missing or not all(", "    if missing and not all(", GOLDEN
    ),
    "texts that are cut otherwise": _at(
        "verify/checks.py",
        "        if found != [None if word",
        "        if None is [None if word",
        GOLDEN,
    ),
    "another threshold": _at(
        "verify/checks.py",
        'if flip_threshold(entry["epsilon"]) != entry["threshold"]:',
        'if not flip_threshold(entry["epsilon"]):',
        GOLDEN,
    ),
    "a distance that is another": _at(
        "verify/checks.py",
        "if not np.array_equal(distances, expected):",
        "if not len(distances):",
        "test_verify.py::TestWrongRuntime",
    ),
    "words that aren't normalized": _at(
        "verify/checks.py", "if normalize(word) != word:", "if not word:", WORDS
    ),
    "words in no order": _at(
        "verify/checks.py",
        "    if any(a >= b for a, b in pairwise(ordered)):",
        "    if not ordered:",
        WORDS,
    ),
    "codes of other words": _at(
        "verify/source_checks.py", "if retention < _LEAST_RETENTION:", "if False:", SOURCE
    ),
    "quality that is overstated": _at(
        "verify/source_checks.py", "if nn10 < stated - _NEIGHBOR_TOLERANCE:", "if False:", SOURCE
    ),
    "utility that is overstated": _at(
        "verify/source_checks.py",
        "if not abs(now - then) <= tolerance:",
        "if not abs(now) <= 1:",
        SOURCE,
    ),
    "only what codes keep is compared": _at(
        "verify/source_checks.py",
        'for name, fresh in (("brr", ours), (LAPLACE, theirs)):',
        'for name, fresh in (("brr", ours),):',
        SOURCE,
    ),
    "only the words that stay are compared": _at(
        "verify/source_checks.py",
        '("unchanged share", "cosine"), astuple(fresh), astuple(noted), strict=True',
        '("unchanged share",), astuple(fresh), astuple(noted), strict=False',
        SOURCE,
    ),
    "an epsilon without effect": _at(
        "verify/source_checks.py",
        "if cosines[-1] < min(",
        "if cosines[-1] < -min(",
        "test_verify.py::TestWrongRuntime",
    ),
    # What a bundle shows of a text.
    "words by occurrences": _at(
        "language/model.py",
        "np.where(counts.word_texts >= least,",
        "np.where(counts.words >= least,",
        SHOWN,
    ),
    "pairs by occurrences": _at(
        "language/model.py",
        "enough = counts.pair_texts >= least",
        "enough = counts.times >= least",
        SHOWN,
    ),
    "a text's number lost": _at(
        "language/model.py",
        " or len(waiting) == most_texts:",
        ":",
        "test_language.py::TestCounts",
    ),
    "rare words above frequent ones": _at(
        "language/model.py",
        "np.minimum(scale * ranks, shown.least)",
        "scale * ranks",
        "test_language.py::TestRareWords",
    ),
    "a scale by rare words, too": _at(
        "language/model.py",
        "/ math.fsum(ranks[counted])",
        "/ math.fsum(ranks)",
        "test_language.py::TestRareWords",
    ),
    "tokens of rare words": _at(
        "language/learn.py",
        "tokens = int(shown.words.sum())",
        "tokens = known",
        "test_language.py::TestLearning",
    ),
    "a digest that wasn't asked for": _at(
        "language/learn.py",
        "    if digest:\n",
        "    if digest is not None:\n",
        "test_language.py::TestLearning",
    ),
    # Building.
    "cases of seed 0": _at(
        "bundle/build.py",
        "golden_cases(source.words, codes.packed, language, seed, unit)",
        "golden_cases(source.words, codes.packed, language, 0, unit)",
        "test_build.py::TestReproducibility",
    ),
    "codes of seed 0": _at(
        "bundle/build.py",
        "effort=effort, seed=seed, progress=progress\n",
        "effort=effort, seed=0, progress=progress\n",
        "test_build.py::TestReproducibility",
    ),
    "a bundle that is refused after the work": _at(
        "bundle/build.py",
        "    check_output(output, force=force)\n",
        "",
        "test_build.py::TestRefusal",
    ),
    # What commands write.
    "what an interrupted write left": _at(
        "system/drafts.py",
        "        with tidied(claimed.remove):\n",
        "        with tidied(lambda: None):\n",
        "test_drafts.py",
    ),
    "what a killed write left": _at(
        "system/drafts.py",
        "                _remove_abandoned(target.parent, prefix)\n",
        "",
        "test_drafts.py",
    ),
    "what a living process writes": _at(
        "system/drafts.py",
        "            if not locks.try_lock(claim.fileno()):\n                return\n",
        "",
        "test_drafts.py",
    ),
    "a claim that was removed before its lock": _at(
        "system/drafts.py",
        "        return os.fstat(self._claim.fileno()).st_nlink > 0\n",
        "        return True\n",
        "test_drafts.py",
    ),
    "an output that is an input": _at(
        "system/outputs.py",
        "            _check(output, read)\n",
        "            pass\n",
        "test_outputs.py",
    ),
    "two outputs that are one": _at(
        "system/outputs.py",
        "        for other in outputs[:number]:\n",
        "        for other in outputs[:0]:\n",
        "test_outputs.py",
    ),
    "a file in a bundle's folder": _at(
        "system/outputs.py",
        "        return b'\"brr-' in manifest.read(_HEAD)\n",
        "        return False\n",
        "test_outputs.py",
    ),
    "outputs that nobody looks at": _at(
        "cli/outputs.py", "    command.callback = check_and_run\n", "", "test_outputs.py"
    ),
    "a value in a message": _at(
        "cli/usage.py",
        '_VALUE.sub("it is not ", error.message)',
        "error.message",
        "test_usage.py",
    ),
    # The codes.
    "the near scale alone": _at(
        "codes/neighborhood.py",
        'far = Scale(far_samples, SETTINGS["far_perplexity"], far_weight)',
        'far = Scale(far_samples, SETTINGS["far_perplexity"], 0.0)',
        "test_neighborhood.py",
    ),
    "sums in any order": _at(
        "codes/divergence.py",
        "@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]\ndef _judge(",
        "@njit(nogil=True, fastmath=True)  # type: ignore[untyped-decorator]\ndef _judge(",
        "test_portable.py",
    ),
    "products that are rounded": _at(
        "codes/vectors.py",
        "rows[i, c] = np.rint(np.float64(vectors[i, c]) * scale)",
        "rows[i, c] = np.float64(vectors[i, c]) * scale",
        "test_portable.py",
    ),
    "a step without the slope that it is lent": _at(
        "codes/autoencoder.py",
        'by_z = by_code * (1 - np.tanh(z / np.float32(SETTINGS["slope_width"])) ** 2)',
        "by_z = by_code",
        "test_codes.py::test_gradients_are_those_of_the_loss",
    ),
    "a classifier that is never trained on what was privatized": _at(
        "evaluate/evaluation.py",
        "return Texts(release(part.ids, numbers), part.offsets, part.labels)",
        "return part",
        "test_evaluate.py::test_much_noise_hides_the_words",
    ),
    "another index than the rebuilt one": _at(
        "verify/source_checks.py",
        'if method["name"] in PORTABLE:',
        "if False:",
        SOURCE,
    ),
    # A corpus.
    "pieces of any size": _at(
        "corpus/batches.py",
        "if waiting and size + part.nbytes > limit:",
        "if not waiting and size:",
        "test_corpus.py::TestPieces",
    ),
    "one word for all unknown ones": _at(
        "corpus/batches.py",
        "ids[unknown] = uniform_below(bounds, self._random)",
        "ids[unknown] = 7",
        BATCHES,
    ),
    "words of the next row": _at(
        "corpus/batches.py",
        "            ends = np.concatenate([[0], np.cumsum(known)])[ends]\n",
        "",
        BATCHES,
    ),
    "no text becomes an empty one": _at(
        "corpus/batches.py",
        "return pc.if_else(texts.is_null(), pa.scalar(None, pa.large_string()), joined)",
        "return joined",
        BATCHES,
    ),
    "columns that nobody named": _at(
        "corpus/batches.py",
        "for entry in schema if entry.name in chosen])",
        "for entry in schema])",
        BATCHES,
    ),
}


if __name__ == "__main__":
    sys.exit(try_all(sys.argv[1:], MUTATIONS, copy, failures))
