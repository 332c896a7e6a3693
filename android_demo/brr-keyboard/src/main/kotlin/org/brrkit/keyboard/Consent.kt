package org.brrkit.keyboard

import java.io.File
import java.io.IOException

/**
 * Whether privatized words may leave the device. **They may not until [give] is called.**
 *
 * The contract, which the releaser and the uploader keep:
 *  - Without consent no word is drawn, kept or sent, and no budget is spent.
 *  - When [withdraw] returns, nothing waits any more: what was in the outbox is deleted, with the
 *    word that was being released. It outlives a crash at any instant: consent ends first, and the
 *    next start deletes what is left.
 *  - A batch whose sending has begun can't be called back. No other one follows it.
 *
 * Consent is a file: it is there, or it isn't. Keep it out of backups, so that another device asks
 * anew. Safe to share between threads; every object with the same file is the same consent. For one
 * process: another one's release may end after [withdraw], and is deleted at the next start.
 *
 * ```
 * keyboard.consent.give() // when the person who types has agreed
 * keyboard.consent.withdraw() // when they change their mind
 * ```
 *
 * @param file in an existing directory.
 * @param outbox what [withdraw] empties.
 */
public class Consent(private val file: File, private val outbox: Outbox?) {

    /** Whether it is given. Reads the disk's directory, which is quick. */
    public val isGiven: Boolean
        get() = file.isFile

    /**
     * Gives it: call this when the person who types has agreed.
     *
     * @throws IOException it can't be stored; it isn't given then.
     */
    @Throws(IOException::class)
    public fun give(): Unit = synchronized(LOCK) {
        if (!isGiven) file.replaceDurably(GIVEN.toByteArray())
    }

    /**
     * Withdraws it, and deletes what waits.
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

    /** Runs [action] if it is given, so that [withdraw] waits for its end; returns null if not. */
    internal fun <T : Any> whileGiven(action: () -> T?): T? = synchronized(LOCK) {
        if (isGiven) action() else null
    }

    private companion object {
        const val GIVEN = "privatized words may leave this device\n"
        val LOCK = Any()
    }
}
