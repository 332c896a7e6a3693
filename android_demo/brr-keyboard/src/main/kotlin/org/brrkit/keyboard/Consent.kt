package org.brrkit.keyboard

import java.io.File
import java.io.IOException

/**
 * Whether privatized words may leave the device. **They may not until [give] is called.**
 *
 * The contract, which the releaser and the uploader keep:
 *  - Without consent, no word is drawn, kept or sent, and no budget is spent.
 *  - When [withdraw] returns, nothing waits any more: the outbox is empty, and the release in progress is
 *    deleted. A crash at any instant doesn't undo this: consent ends first, and the next start deletes the rest.
 *  - A batch that is already being sent can't be recalled. No other batch follows it.
 *
 * Consent is given if its file exists. Exclude the file from backups, so that another device asks again. Safe to
 * share between threads; all objects with the same file share one consent. Use it in one process only: a release
 * in another process may end after [withdraw], and is deleted at the next start.
 *
 * ```
 * keyboard.consent.give() // after the user has agreed
 * keyboard.consent.withdraw() // after the user has changed their mind
 * ```
 *
 * @param file in an existing directory.
 * @param outbox the outbox that [withdraw] empties.
 */
public class Consent(private val file: File, private val outbox: Outbox?) {

    /** Whether consent is given. Reads the directory on disk, which is fast. */
    public val isGiven: Boolean
        get() = file.isFile

    /**
     * Gives consent. Call this after the user has agreed.
     *
     * @throws IOException it can't be stored, and consent isn't given.
     */
    @Throws(IOException::class)
    public fun give(): Unit = synchronized(LOCK) {
        if (!isGiven) file.replaceDurably(GIVEN.toByteArray())
    }

    /**
     * Withdraws consent, and deletes all that waits.
     *
     * @throws IOException the system refuses. If consent is still given, try again.
     */
    @Throws(IOException::class)
    public fun withdraw(): Unit = synchronized(LOCK) {
        file.deleteDurably()
        outbox?.clear()
    }

    /** Finishes a withdrawal that a crash interrupted. */
    @Throws(IOException::class)
    internal fun settle(): Unit = synchronized(LOCK) {
        if (!isGiven) outbox?.clear()
    }

    /** Runs [action] if consent is given; otherwise returns null. [withdraw] waits for the end of [action]. */
    internal fun <T : Any> whileGiven(action: () -> T?): T? = synchronized(LOCK) {
        if (isGiven) action() else null
    }

    private companion object {
        const val GIVEN = "privatized words may leave this device\n"
        val LOCK = Any()
    }
}
