import java.io.File
import java.time.Duration
import org.brrkit.BrrException
import org.brrkit.BudgetException
import org.brrkit.KeyVault
import org.brrkit.Memory
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.WordBundle
import org.brrkit.keyboard.Outbox
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Reporter

/** The lines of `docs/how-to/use-a-bundle.md`, in order. */
fun useABundle(folder: File, state: File, vault: KeyVault?) {
    val bundle = WordBundle.open(folder)
    val privatizer = Privatizer(bundle)

    privatizer.word("flight")
    privatizer.words(listOf("book", "a", "flight"))
    privatizer.text("Book me a flight to Boston!")
    privatizer.texts(listOf("The first text.", "The second text."))
    val stream = privatizer.stream()
    stream.word("book")

    // limit: a sum of ε; 300 allows 544 words a day with the sample
    val daily = PrivacyBudget(300.0, Duration.ofDays(1), File(state, "budget.json"))
    val monthly = Memory(Duration.ofDays(30), File(state, "memory.json"))
    val limited = Privatizer.Builder(bundle).budget(daily).memory(monthly).build()

    val outbox = Outbox(File(state, "outbox"), vault)
    val reporter = Reporter(outbox)
    reporter.report(bundle.tokenize("Book me a flight"), bundle, ReportSettings(), daily)

    try {
        limited.text("Book me a flight")
    } catch (error: BudgetException) {
        println("${error.left} ${error.renewsIn}")
    } catch (error: BrrException) {
        println(error.message)
    }
}
