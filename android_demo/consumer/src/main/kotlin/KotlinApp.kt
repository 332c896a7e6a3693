import java.io.File
import java.net.URL
import java.time.Clock
import java.time.Duration
import org.brrkit.KeyVault
import org.brrkit.Mechanism
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.WordBundle
import org.brrkit.keyboard.Consent
import org.brrkit.keyboard.HttpsTransport
import org.brrkit.keyboard.Outbox
import org.brrkit.keyboard.ReleaseSettings
import org.brrkit.keyboard.Upload
import org.brrkit.keyboard.UploadPolicy
import org.brrkit.keyboard.Uploader
import org.brrkit.tokenize

fun main(arguments: Array<String>) {
    val (path, target, receiver, certificate) = arguments
    val bundle = WordBundle.open(File(path))
    val folder = File(target, "kotlin").also(File::mkdir)
    val privatizer = Privatizer.Builder(bundle)
        .epsilon(0.6)
        .mechanism(Mechanism.exponential(radius = 6))
        .budget(PrivacyBudget(300.0, Duration.ofDays(1), File(folder, "daily.json")))
        .build()
    println("kotlin: " + privatizer.text("Book me a flight to Boston!"))
    Trust.only(File(certificate))
    println("kotlin: " + send("Book me a flight to Boston!", bundle, folder, null, URL(receiver)))
}

fun send(typed: String, bundle: WordBundle, folder: File, vault: KeyVault?, receiver: URL): Upload {
    val settings = ReleaseSettings("exponential", epsilon = 0.6, dailyBudget = 300.0)
    val budget = PrivacyBudget(settings.dailyBudget, Duration.ofDays(1), File(folder, "budget.json"))
    val outbox = Outbox(File(folder, "outbox"), vault)
    val consent = Consent(File(folder, "consent"), outbox)
    consent.give() // when the person who types has agreed
    val words = settings.privatizer(bundle, budget).words(tokenize(typed))
    outbox.accept(words, settings.source(bundle))
    return Uploader(outbox, consent, HttpsTransport(receiver), UploadPolicy(minimumWords = 1)).run()
}
