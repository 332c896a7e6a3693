"""Train the autoencoder to reconstruct sentences, with clipped latent vectors (TensorFlow)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brrkit.errors import BrrError
from brrkit_adept.network import Array, Sizes, padded
from brrkit_adept.sentence_vocabulary import BEGIN, END, PADDING, SentenceVocabulary
from brrkit_adept.settings import Settings
from brrkit_toolchain.io.progress import Progress
from brrkit_toolchain.io.quiet_tensorflow import import_tensorflow

_LARGEST_GRADIENT_NORM = 1.0


def train(
    sentences: Sequence[Sequence[int]],
    vocabulary: SentenceVocabulary,
    settings: Settings,
    *,
    pretrained: Array | None = None,
    progress: bool = False,
) -> tuple[dict[str, Array], float]:
    """Return the weights of a network, and its loss a token in the last epoch, in nats.

    Args:
        sentences: of tokens, not empty.
        vocabulary: that they are of.
        settings: how.
        pretrained: the tokens' vectors to start with, float32[tokens, embedding], NaN where there
            is none; random ones without.
        progress: whether to show a bar where standard error is a terminal.

    Raises:
        BrrError: the loss became infinite or NaN.
    """
    tf = import_tensorflow()
    tf.config.experimental.enable_op_determinism()
    generator = np.random.default_rng(settings.seed)
    sizes = Sizes(vocabulary.size, settings.embedding, settings.hidden, settings.dimensions)
    variables = _initial(sizes, generator)
    if pretrained is not None:
        start = variables["embedding"]
        start.assign(np.where(np.isnan(pretrained), start.numpy(), pretrained))
    steps = settings.epochs * -(-len(sentences) // settings.batch)
    step = _training_step(variables, settings, steps)
    loss = np.inf
    with Progress(total=steps, desc="Training", unit=" steps", progress=progress) as bar:
        for _ in range(settings.epochs):
            losses = []
            for batch in _batches(sentences, settings.batch, generator):
                losses.append(float(step(*_tensors(batch, settings, generator))))
                bar.update()
            loss = float(np.mean(losses))
            bar.set_postfix(loss=f"{loss:.3f}")
            if not np.isfinite(loss):
                raise BrrError(
                    "training diverged: the training loss isn't a number; lower the learning rate"
                )
    return {name: variable.numpy() for name, variable in variables.items()}, loss


def _initial(sizes: Sizes, generator: np.random.Generator) -> dict[str, Any]:
    """Return variables: matrices uniform after Glorot, recurrent ones orthogonal, biases 0."""
    tf = import_tensorflow()
    variables = {}
    for name, shape in sizes.shapes().items():
        value = np.zeros(shape)
        if name == "embedding":
            value = generator.normal(0, 1 / np.sqrt(shape[1]), shape)
        elif name.endswith("_recurrent"):
            value = np.hstack([_orthogonal(shape[0], generator) for _ in range(3)])
        elif name.endswith("_kernel"):
            bound = np.sqrt(6 / (shape[0] + min(shape[1], sizes.hidden)))
            value = generator.uniform(-bound, bound, shape)
        variables[name] = tf.Variable(value.astype(np.float32), name=name)
    return variables


def _orthogonal(size: int, generator: np.random.Generator) -> NDArray[np.float64]:
    q, r = np.linalg.qr(generator.standard_normal((size, size)))
    result: NDArray[np.float64] = q * np.sign(np.diag(r))
    return result


def _batches(
    sentences: Sequence[Sequence[int]], size: int, generator: np.random.Generator
) -> Iterator[list[Sequence[int]]]:
    """Yield batches of sentences of about one length, in random order."""
    order = sorted(generator.permutation(len(sentences)).tolist(), key=lambda i: len(sentences[i]))
    starts = generator.permutation(range(0, len(order), size)).tolist()
    for start in starts:
        yield [sentences[i] for i in order[start : start + size]]


def _tensors(
    batch: list[Sequence[int]], settings: Settings, generator: np.random.Generator
) -> tuple[Any, ...]:
    tf = import_tensorflow()
    inputs = padded(batch)
    lengths = np.array([len(sentence) for sentence in batch])
    before = padded([[BEGIN, *sentence] for sentence in batch])
    after = padded([[*sentence, END] for sentence in batch])
    scale = settings.noise / np.sqrt(settings.dimensions)
    noise = generator.normal(0, 1, (len(batch), settings.dimensions)) * scale
    whole = [tf.constant(array, tf.int32) for array in (inputs, lengths, before, after)]
    return (*whole, tf.constant(noise, tf.float32))


def _training_step(variables: dict[str, Any], settings: Settings, steps: int) -> Any:
    """Return a function that takes a batch, improves ``variables`` on it and returns its loss."""
    tf = import_tensorflow()
    w = variables
    trained = list(variables.values())
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.CosineDecay(settings.learning_rate, steps)
    )
    optimizer.build(trained)

    def run(name: str, inputs: Any, state: Any) -> Any:
        """Return all states [m, time, h] of a GRU, as ``network.gru`` has them."""
        kernel, recurrent, bias = (w[f"{name}_{part}"] for part in ("kernel", "recurrent", "bias"))
        outer = tf.matmul(tf.transpose(inputs, [1, 0, 2]), kernel) + bias[0]
        states = _states(outer, state, tf.identity(recurrent), bias[1])
        return tf.transpose(states, [1, 0, 2])

    def losses(inputs: Any, lengths: Any, before: Any, after: Any, noise: Any) -> Any:
        rows = tf.shape(inputs)[0]
        embedded = tf.gather(w["embedding"], inputs)
        states = run("encoder", embedded, tf.zeros([rows, settings.hidden]))
        state = tf.gather(states, lengths - 1, batch_dims=1)
        latent = tf.matmul(state, w["latent_kernel"]) + w["latent_bias"]
        norm = tf.norm(latent, ord=settings.norm, axis=1, keepdims=True)
        latent = latent / tf.maximum(norm, 1.0) + noise
        latent *= settings.dimensions**0.5
        first = tf.tanh(tf.matmul(latent, w["state_kernel"]) + w["state_bias"])
        along = tf.repeat(latent[:, None], tf.shape(before)[1], axis=1)
        states = run(
            "decoder", tf.concat([tf.gather(w["embedding"], before), along], axis=2), first
        )
        wanted = tf.where(after != PADDING)
        words = tf.matmul(tf.gather_nd(states, wanted), w["output_kernel"])
        logits = tf.matmul(words, w["embedding"], transpose_b=True) + w["output_bias"]
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather_nd(after, wanted), logits)
        )

    matrix = tf.TensorSpec([None, None], tf.int32)
    signature = [
        matrix,
        tf.TensorSpec([None], tf.int32),
        matrix,
        matrix,
        tf.TensorSpec([None, settings.dimensions], tf.float32),
    ]

    def step(*batch: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = losses(*batch)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, trained), _LARGEST_GRADIENT_NORM)
        optimizer.apply_gradients(zip(gradients, trained, strict=True))
        return loss

    return tf.function(step, input_signature=signature)


def _states(outer: Any, first: Any, recurrent: Any, bias: Any) -> Any:
    """Return the states [time, m, h] of a GRU.

    Its gradient is written out: what TensorFlow makes of a loop adds up a matrix of the weights'
    size at each step. Here only what depends on the following step is computed step by step.

    Args:
        outer: [time, m, 3h], of the inputs; gates: update, reset, candidate.
        first: [m, h], the state before the first step.
        recurrent: [h, 3h].
        bias: [3h], of the recurrent part.
    """
    tf = import_tensorflow()

    def gates(outer: Any, before: Any, recurrent: Any, bias: Any) -> tuple[Any, ...]:
        inner = tf.matmul(before, recurrent) + bias
        x_update, x_reset, x_candidate = tf.split(outer, 3, axis=-1)
        update, reset, candidate = tf.split(inner, 3, axis=-1)
        update, reset = tf.sigmoid(x_update + update), tf.sigmoid(x_reset + reset)
        return update, reset, tf.tanh(x_candidate + reset * candidate), candidate

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def run(outer: Any, first: Any, recurrent: Any, bias: Any) -> Any:
        def follow(before: Any, outer: Any) -> Any:
            update, _, candidate, _ = gates(outer, before, recurrent, bias)
            return candidate + update * (before - candidate)

        states = tf.scan(follow, outer, first)

        def gradient(upstream: Any) -> tuple[Any, Any, Any, Any]:
            before = tf.concat([first[None], states[:-1]], axis=0)
            update, reset, candidate, inner = gates(outer, before, recurrent, bias)
            # By a state: of what is inside of each gate's sigmoid or tanh.
            to_update = (before - candidate) * update * (1 - update)
            to_candidate = (1 - update) * (1 - candidate * candidate)
            to_reset = to_candidate * inner * reset * (1 - reset)
            inside = tf.stack([to_update, to_reset, to_candidate * reset], axis=2)
            rows, units = tf.shape(first)[0], first.shape[1]

            def back(after: tuple[Any, Any], step: tuple[Any, ...]) -> tuple[Any, Any]:
                upstream, update, inside = step
                whole = upstream + after[1]
                inner = tf.reshape(whole[:, None] * inside, [rows, 3 * units])
                return whole, whole * update + tf.matmul(inner, recurrent, transpose_b=True)

            zero = tf.zeros_like(first)
            whole, earlier = tf.scan(back, (upstream, update, inside), (zero, zero), reverse=True)
            shape = [-1, 3 * units]
            to_inner = tf.reshape(whole[:, :, None] * inside, shape)
            to_outer = tf.concat([whole * to_update, whole * to_reset, whole * to_candidate], -1)
            return (
                to_outer,
                earlier[0],
                tf.matmul(tf.reshape(before, [-1, units]), to_inner, transpose_a=True),
                tf.reduce_sum(to_inner, axis=0),
            )

        return states, gradient

    return run(outer, first, recurrent, bias)
