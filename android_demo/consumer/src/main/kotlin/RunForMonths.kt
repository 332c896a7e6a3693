import android.content.Context
import java.io.File
import java.time.Duration
import org.brrkit.Memory
import org.brrkit.PrivacyBudget
import org.brrkit.WordBundle
import org.brrkit.keyboard.BrrKeyboard
import org.brrkit.keyboard.BundleStore
import org.brrkit.keyboard.KeystoreVault

/** The lines of `docs/how-to/run-for-months.md`, in order. */
fun runForMonths(context: Context, downloaded: File, manifestDigest: String) {
    val key = File(context.noBackupFilesDir, "memory.json")
    val memory = Memory(Duration.ofDays(30), key, KeystoreVault("memory"))

    val store = BundleStore(File(context.noBackupFilesDir, "bundles"))
    store.install(downloaded, manifestDigest)

    val spent = File(context.noBackupFilesDir, "brr/budget.json")
    val keyboard = BrrKeyboard(context) {
        store.open(PrivacyBudget(300.0, Duration.ofDays(1), spent)) {
            WordBundle.open(context.assets, "bundle")
        }
    }
}
