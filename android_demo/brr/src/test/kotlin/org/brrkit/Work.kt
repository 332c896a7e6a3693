package org.brrkit

import java.io.File
import java.time.Duration

/** The folder that `tests/android.sh` prepares: bundles, hostile bundles, Python's cases. */
object Work {
    private val folder: File by lazy {
        val path = System.getProperty("brr.work").orEmpty()
        check(path.isNotEmpty()) { "brr.work isn't set: run these tests by 'make android'" }
        File(path)
    }

    /** All bundles from the toolchain: [bundles] and [lists]. */
    val all: Map<String, WordBundle> by lazy {
        file("bundles").list().orEmpty().sorted().associateWith { WordBundle.open(file("bundles/$it")) }
    }

    /** Bundles with codes: by their numbers of bits, one with task bits, and some of other languages than English. */
    val bundles: Map<String, WordBundle> by lazy { all.filterValues { it.listOf == null } }

    /** Bundles without codes. */
    val lists: Map<String, WordBundle> by lazy { all - bundles.keys }

    val bundle64: WordBundle
        get() = bundles.getValue("64")

    /** The words, masses and codes of [bundle64], with 64 task bits behind each code. */
    val withTasks: WordBundle
        get() = bundles.getValue("tasks")

    fun file(name: String): File = File(folder, name)

    /** Reads a file with a JSON object on every line. */
    fun cases(name: String): List<Map<*, *>> = file(name).readText()
        .split('\n').filter(String::isNotEmpty)
        .map { parseJson(it.toByteArray()) as Map<*, *> }
}

/** As the builder: for tests, which have mechanisms as files have them. */
@Suppress("ktlint:standard:function-naming", "FunctionName")
fun Privatizer(
    bundle: WordBundle,
    epsilon: Double? = null,
    mechanism: String? = null,
    oov: Oov = Oov.RANDOM,
    budget: PrivacyBudget? = null,
    memory: Memory? = null,
    secondEpsilon: Double? = null,
    random: RandomSource = SystemRandom,
    parameters: Map<String, Any?> = emptyMap(),
    randomizer: Randomizer = KotlinRandomizer,
): Privatizer {
    val builder = Privatizer.Builder(bundle).oov(oov).budget(budget).memory(memory).random(random)
    epsilon?.let { builder.setting(Setting(it, Mechanism(mechanism ?: "exponential", parameters))) }
    secondEpsilon?.let(builder::secondEpsilon)
    return builder.randomizer(randomizer).build()
}

/** Returns the object that a case of counts describes. */
fun countsOf(bundle: WordBundle, case: Map<*, *>, random: RandomSource): Counts {
    val builder = Counts.Builder(bundle).random(random).memory(memoryOf(case))
    (case["second_cap"] as Number?)?.let { builder.secondCap(it.toDouble()) }
    return builder.setting(CountsSetting((case["cap"] as Number).toDouble())).build()
}

/** Returns the content of the batches in a case of frames: a list for each day that its steps end. */
fun framedDays(bundle: WordBundle, case: Map<*, *>, random: RandomSource): List<List<Map<String, Any>>> {
    val (words, aDay) = listOf("words", "a_day").map { ((case["frames"] as Map<*, *>)[it] as Number).toInt() }
    val setting = Setting(
        (case["epsilon"] as Number).toDouble(),
        Mechanism(case["mechanism"] as String, case.parameters()),
    )
    val texts = TextFrames(bundle, setting, Frames(words, aDay), random)
    val days = ArrayList<List<Map<String, Any>>>()
    var day: FrameSample? = null
    for (step in case.objects("steps")) {
        val text = step["add"] as String?
        day = when {
            text != null -> texts.text(text, day ?: texts.day(), step.marks(text))
            "word" in step -> texts.word(step["word"] as String, day ?: texts.day())
            "end" in step -> day?.let(texts::end)
            else -> null.also { days += batchesOf(texts.end(day ?: texts.day()), bundle, random) }
        }
    }
    return days
}

private fun batchesOf(day: FrameSample, bundle: WordBundle, random: RandomSource): List<Map<String, Any>> {
    val byIds = Comparator<List<String>> { one, other ->
        one.zip(other) { a, b -> bundle.vocabulary.find(a) - bundle.vocabulary.find(b) }.firstOrNull { it != 0 } ?: 0
    }
    return day.frames.sortedWith(byIds).map {
        mapOf("batch" to hexadecimal(ByteArray(16).also(random::fill)), "words" to it)
    }
}

/** Returns so many seconds. */
fun seconds(count: Double): Duration =
    Duration.ofSeconds(count.toLong(), ((count % 1) * 1e9).toLong())

/** Returns known bytes. Fails if more are requested. */
class Replay(private val bytes: ByteArray) : RandomSource {
    var left = bytes.size
        private set

    override fun fill(bytes: ByteArray) {
        val start = this.bytes.size - left
        check(bytes.size <= left) { "more random bytes are wanted than there are" }
        this.bytes.copyInto(bytes, 0, start, start + bytes.size)
        left -= bytes.size
    }
}

fun hexadecimal(bytes: ByteArray): String = bytes.joinToString("") { "%02x".format(it) }

fun bytesOf(hexadecimal: String): ByteArray =
    hexadecimal.chunked(2).map { it.toInt(16).toByte() }.toByteArray()

@Suppress("UNCHECKED_CAST")
fun Map<*, *>.parameters(): Map<String, Any> = (this["parameters"] ?: emptyMap<String, Any>()) as
    Map<String, Any>

/** Returns the marks of a case on a [text], which count code points there. */
fun Map<*, *>.marks(text: String): List<Mark> = (this["marks"] as List<*>?).orEmpty().map { mark ->
    val (start, end) = (mark as List<*>).take(2).map { text.offsetByCodePoints(0, (it as Long).toInt()) }
    Mark(start, end, mark.getOrNull(2) as String?)
}

/** Returns a case's treatment of the text outside marks. */
fun Map<*, *>.rest(): Rest = if (this["rest"] == "pass") Rest.PASS else Rest.RELEASE

/** Returns the output for a case's word, after the previously released word. */
fun Privatizer.released(bundle: WordBundle, case: Map<*, *>): String? {
    val before = case["before"] as String? ?: return word(case["word"] as String)
    return Privatizer.Stream(this, bundle.vocabulary.find(before)).word(case["word"] as String)
}

/** Returns the memory whose key a case has, or null. */
fun memoryOf(case: Map<*, *>): Memory? {
    val key = case["key"] ?: return null
    val file = File.createTempFile("memory", null)
    for (left in listOf(file, File("$file.lock"))) left.deleteOnExit()
    file.writeBytes(
        signed(
            """{"format": "brr-memory", "format_version": 1, "number": ${case["number"]}, """ +
                """"key": "$key", "elapsed": 0, "latest": 0, "boot": "", "uptime": 0""",
        ),
    )
    return Memory(seconds(1e12), file)
}

/** Writes a value as JSON, in ASCII. */
fun toJson(value: Any?): String = when (value) {
    is Map<*, *> -> value.entries.joinToString(", ", "{", "}") {
        "${toJson(it.key)}: ${toJson(it.value)}"
    }
    is List<*> -> value.joinToString(", ", "[", "]", transform = ::toJson)
    is String -> buildString(value.length + 2) {
        append('"')
        for (character in value) {
            val plain = character in ' '..'~' && character != '"' && character != '\\'
            if (plain) append(character) else append("\\u%04x".format(character.code))
        }
        append('"')
    }
    else -> value.toString()
}
