package org.brrkit

import java.io.File
import java.math.RoundingMode
import java.security.MessageDigest

/** The frozen cases of `spec`, which all runtimes read. */
object Vectors {
    private val spec = File("../../spec")

    /** The conformance bundles, by their names. */
    val bundles: Map<String, WordBundle> by lazy {
        listOf("spaced", "unspaced", "tasks", "policy", "list").associateWith { WordBundle.open(folder(it)) }
    }

    private val golden: List<Pair<WordBundle, Map<*, *>>> by lazy {
        val conformance = bundles.map { (name, bundle) -> bundle to json(File(folder(name), "parity.json")) }
        val vectors = listOf("releases", "counts", "memory", "frames").flatMap { file ->
            (read(file)["bundles"] as Map<*, *>).map { (name, kinds) -> bundles.getValue(name as String) to kinds as Map<*, *> }
        }
        val built = Work.all.mapNotNull { (name, bundle) ->
            Work.file("bundles/$name/parity.json").takeIf(File::exists)?.let { bundle to json(it) }
        }
        conformance + vectors + built
    }

    /** Returns the folder of a conformance bundle. */
    fun folder(name: String): File = File(spec, "conformance/$name")

    /** Returns the content of a file of `spec/vectors`. */
    fun read(name: String): Map<*, *> = json(File(spec, "vectors/$name.json"))

    /** Returns the cases of a [kind], with their bundles: frozen ones, and those of newly built bundles. */
    fun cases(kind: String): List<Pair<WordBundle, Map<*, *>>> = golden.flatMap { (bundle, kinds) ->
        (kinds[kind] as List<*>? ?: emptyList<Any>()).map { bundle to it as Map<*, *> }
    }

    private fun json(file: File) = parseJson(file.readBytes()) as Map<*, *>
}

/** Returns an array of objects. */
fun Map<*, *>.objects(name: String): List<Map<*, *>> = (this[name] as List<*>).map { it as Map<*, *> }

/** Completes a case with the numbers that follow from it. */
fun numbersOf(case: Map<*, *>): Map<*, *> {
    val epsilon = (case["epsilon"] as Number).toDouble()
    val bits = (case["bits"] as Long).toInt()
    val total = case["total"] as Long
    val distance = (case["distance"] as Long).toInt()
    val t = (case["t"] as Number).toDouble()
    val threshold = flipThreshold(epsilon)
    val radius = (case["radius"] as Long).toInt()
    val cap = (case["cap"] as Number?)?.toDouble()
    val weights = weightTable(epsilon, bits, total, radius, cap)
    val symbols = (case["symbols"] as Long).toInt()
    val kept = cap?.let { keepThreshold(it, symbols) }
    val digest = MessageDigest.getInstance("SHA-256").digest(bytesOf(weights))
    return case + mapOf(
        "threshold" to threshold,
        "keep_threshold" to kept,
        "counts_loss" to kept?.let { keepLoss(it, symbols) },
        "weights" to hexadecimal(digest),
        "effective_threshold" to thresholdEpsilon(threshold),
        "effective_weights" to weightsEpsilon(weights),
        "decay" to decay(t.toRational() * distance),
        "cost" to inUnits(epsilon, RoundingMode.CEILING).toLong(),
    )
}
