import java.io.File
import java.time.Duration
import org.brrkit.Mechanism
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.WordBundle

fun main(arguments: Array<String>) {
    val (bundle, folder) = arguments
    val privatizer = Privatizer.Builder(WordBundle.open(File(bundle)))
        .epsilon(0.6)
        .mechanism(Mechanism.exponential(radius = 6))
        .budget(PrivacyBudget(300.0, Duration.ofDays(1), File(folder, "kotlin.json")))
        .build()
    println("kotlin: " + privatizer.text("Book me a flight to Boston!"))
}
