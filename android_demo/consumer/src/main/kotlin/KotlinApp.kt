import java.io.File
import java.net.URL
import java.time.Clock
import java.time.Duration
import org.brrkit.CountsSetting
import org.brrkit.KeyVault
import org.brrkit.Mechanism
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.brrkit.keyboard.Consent
import org.brrkit.keyboard.HttpsTransport
import org.brrkit.keyboard.Outbox
import org.brrkit.keyboard.ReportSettings
import org.brrkit.keyboard.Reporter
import org.brrkit.keyboard.Upload
import org.brrkit.keyboard.Uploader

fun main(arguments: Array<String>) {
    val (path, target, receiver, certificate) = arguments
    val bundle = WordBundle.open(File(path))
    val folder = File(target, "kotlin").also(File::mkdir)
    val privatizer = Privatizer.Builder(bundle)
        .setting(Setting(0.6, Mechanism.exponential(radius = 6)))
        .budget(PrivacyBudget(300.0, Duration.ofDays(1), File(folder, "daily.json")))
        .build()
    println("kotlin: " + privatizer.text("Book me a flight to Boston!"))
    Trust.only(File(certificate))
    println("kotlin: " + send("Book me a flight to Boston!", bundle, folder, null, URL(receiver)))
    println("kotlin, tomorrow: " + sendTomorrow(folder, URL(receiver)))
}

/** A day's words leave when the day is over. Another call of [send] then does this. */
fun sendTomorrow(folder: File, receiver: URL): Upload {
    val tomorrow = Clock.offset(Clock.systemUTC(), Duration.ofDays(1))
    val outbox = Outbox(File(folder, "outbox"), vault = null, clock = tomorrow)
    return Uploader(outbox, Consent(File(folder, "consent"), outbox), HttpsTransport(receiver)).run()
}

fun send(
    typed: String, bundle: WordBundle, folder: File, vault: KeyVault?, receiver: URL,
): Upload {
    val settings = ReportSettings(CountsSetting(cap = 7.53, wordsADay = 1))
    val budget = PrivacyBudget(300.0, Duration.ofDays(1), File(folder, "budget.json"))
    val outbox = Outbox(File(folder, "outbox"), vault)
    val reporter = Reporter(outbox)
    val consent = Consent(File(folder, "consent"), outbox)
    consent.give() // after the user has agreed
    reporter.report(bundle.tokenize(typed), bundle, settings, budget)
    return Uploader(outbox, consent, HttpsTransport(receiver)).run()
}
