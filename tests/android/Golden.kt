import java.io.File
import org.brrkit.Base
import org.brrkit.Mechanism
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.Setting
import org.brrkit.WordBundle

/** Prints what the golden cases come out as: an app that Kotlin's oldest compiler reads the library for. */
fun main(arguments: Array<String>) {
    val bundles = HashMap<String, WordBundle>()
    File(arguments[0]).forEachLine { line ->
        val (folder, epsilon, mechanism, parameters, random, words) = line.split('\t')
        val bytes = random.chunked(2).map { it.toInt(16).toByte() }.toByteArray()
        var taken = 0
        val source = RandomSource { part ->
            bytes.copyInto(part, 0, taken, taken + part.size)
            taken += part.size
        }
        val bundle = bundles.getOrPut(folder) { WordBundle.open(File(folder)) }
        val given = parameters.split(';').filter { '=' in it }.associate { it.substringBefore('=') to it.substringAfter('=') }
        val privatizer = Privatizer.Builder(bundle)
            .setting(Setting(epsilon.toDouble(), mechanism(mechanism, given)))
            .random(source)
            .build()
        println(privatizer.words(words.split(' ')).joinToString(" "))
    }
}

private operator fun <T> List<T>.component6(): T = this[5]

private fun mechanism(name: String, given: Map<String, String>): Mechanism {
    val t = given["t"]?.split(',')?.map(String::toDouble)
    return when {
        name == "brr" -> Mechanism.brr()
        name == "exponential" -> Mechanism.exponential(
            given["radius"]?.toInt(),
            given["base"]?.let { Base.valueOf(it.uppercase()) },
            given["cap"]?.toDouble(),
            given["task_weight"]?.toInt(),
        )
        t == null -> Mechanism.vickrey()
        ',' in given.getValue("t") -> Mechanism.vickrey(t)
        else -> Mechanism.vickrey(t.single())
    }
}
