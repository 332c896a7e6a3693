import org.brrkit.Mark
import org.brrkit.Privatizer
import org.brrkit.Rest
import org.brrkit.Session
import org.brrkit.WordBundle

/** The lines of `docs/how-to/android.md`, "Mark what is secret", in order. */
fun secrets(bundle: WordBundle, privatizer: Privatizer) {
    val note = "Ask Dana about the flu"
    val marks = listOf(Mark(4, 8, "names"), Mark(19, 22)) // flu: an unknown word
    privatizer.text(note, marks) // each mark is one word
    privatizer.text(note, marks, Rest.PASS) // such as "Ask John about the tie"

    val session = Session(bundle)
    val prompt = session.hide(note, marks) // such as "Ask John about the tie"
    session.restore("JOHN's tie is better.") // "Dana's flu is better."
}
