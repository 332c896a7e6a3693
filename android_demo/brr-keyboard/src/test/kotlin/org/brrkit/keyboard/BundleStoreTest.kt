package org.brrkit.keyboard

import java.io.File
import java.time.Duration
import java.util.Random // Kotlin's looks for Android, whose classes Robolectric loads later
import org.brrkit.BudgetException
import org.brrkit.BundleException
import org.brrkit.Memory
import org.brrkit.PrivacyBudget
import org.brrkit.Privatizer
import org.brrkit.RandomSource
import org.brrkit.Setting
import org.brrkit.WordBundle
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder

/** Changes from one bundle to the next follow the budget's rule. */
class BundleStoreTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val work = File(System.getProperty("brr.work").orEmpty())
    private val old = WordBundle.open(File(work, "bundles/64"))
    private val newFolder = File(work, "bundles/256")
    private val new = WordBundle.open(newFolder)
    private val newDigest = new.manifest["sha256"] as String
    private val bundles by lazy { File(temporary.root, "bundles") }
    private val store by lazy { BundleStore(bundles) }

    private fun budget(period: Duration = Duration.ofDays(1)) =
        PrivacyBudget(100.0, period, File(temporary.root, "budget.json"))

    private fun opened(budget: PrivacyBudget? = null) = store.open(budget) { old }.digest

    @Test
    fun theOldBundleGoesOnUntilItsPeriodHasEnded() {
        assertEquals(old.digest, opened(budget()))
        assertNull(budget().unit())
        budget().spend(1.0, unit = old.digest)
        assertEquals(old.digest, budget().unit())
        store.install(newFolder, newDigest)
        assertEquals(old.digest, opened(budget()))
        assertEquals(old.digest, opened(budget()))
        Thread.sleep(1_100)
        val ended = budget(Duration.ofSeconds(1))
        assertNull(ended.unit())
        assertEquals(new.digest, opened(ended))
        ended.spend(1.0, unit = new.digest)
        assertEquals(new.digest, opened(budget()))
        assertThrows(BudgetException::class.java) { budget().spend(1.0, unit = old.digest) }
        store.clear()
        assertEquals(old.digest, opened(budget()))
    }

    /** It has no randomizer. */
    @Test
    fun aListIsInstalledAndUpdated() {
        for (name in listOf("emoji", "phrases")) {
            val folder = File(work, "bundles/list-$name")
            val list = WordBundle.open(folder)
            store.install(folder, list.manifest["sha256"] as String)
            assertEquals(list.digest, opened())
        }
    }

    @Test
    fun anotherUpdateRemovesTheOneBefore() {
        store.install(newFolder, newDigest)
        assertEquals(new.digest, opened())
        val third = File(work, "calibrated")
        val digest = WordBundle.open(third).manifest["sha256"] as String
        store.install(third, digest)
        assertEquals(digest, store.open(null) { old }.manifest["sha256"])
        assertEquals(setOf("lock", "current", digest), bundles.list().orEmpty().toSet())
    }

    /** If only the manifest differs, words and codes are the same, so nothing has to wait. */
    @Test
    fun theSameWordsNeedNotWait() {
        val third = File(work, "calibrated")
        val digest = WordBundle.open(third).manifest["sha256"] as String
        assertNotEquals(old.manifest["sha256"], digest)
        budget().spend(1.0, unit = old.digest)
        store.install(third, digest)
        assertEquals(digest, store.open(budget()) { old }.manifest["sha256"])
    }

    @Test
    fun anotherOrADamagedBundleIsRefused() {
        for (digest in listOf(old.manifest["sha256"] as String, "../$newDigest", "")) {
            assertThrows(BundleException::class.java) { store.install(newFolder, digest) }
        }
        val damaged = temporary.newFolder()
        newFolder.copyRecursively(damaged, overwrite = true)
        val index = File(damaged, "index.safetensors")
        val content = index.readBytes()
        content[content.lastIndex] = (content.last().toInt() xor 1).toByte()
        index.writeBytes(content)
        assertThrows(BundleException::class.java) { store.install(damaged, newDigest) }
        assertEquals(old.digest, opened())
        assertEquals(listOf("lock"), bundles.list().orEmpty().toList())
    }

    @Test
    fun whatIsDamagedInTheStoreIsNotUsed() {
        store.install(newFolder, newDigest)
        assertEquals(new.digest, opened())
        val pointer = File(bundles, "current")
        for (content in listOf("../../etc", "no digest", newDigest.uppercase(), "0".repeat(64))) {
            pointer.writeText(content)
            assertEquals(old.digest, opened())
        }
        pointer.writeText(newDigest)
        assertEquals(new.digest, opened())
        File(bundles, "next").writeText("no digest")
        assertEquals(new.digest, opened())
        File(bundles, "$newDigest/index.safetensors").writeText("")
        assertEquals(old.digest, opened())
    }

    /** The remains of a crash: an incomplete copy, or an unfinished switch. */
    @Test
    fun aCrashLeavesTheOldOrTheNew() {
        val unfinished = File(bundles, newDigest + UNFINISHED)
        unfinished.mkdirs()
        File(unfinished, "manifest.json").writeText("{")
        assertEquals(old.digest, opened())
        store.install(newFolder, newDigest)
        // The pointer was written, but the mark of the next bundle wasn't deleted yet.
        File(bundles, "current").writeText(newDigest)
        assertEquals(new.digest, opened())
        assertEquals(new.digest, opened())
    }

    /** Words have new first draws on the new bundle; the memory's key is the same. */
    @Test
    fun theMemorysKeyStays() {
        val file = File(temporary.root, "memory.json")
        fun word(bundle: WordBundle): String? {
            val memory = Memory(Duration.ofDays(30), file, TestVault())
            val source = Random(1)
            return Privatizer.Builder(bundle).setting(Setting(1.0)).memory(memory)
                .random(RandomSource { source.nextBytes(it) }).build().word("the")
        }
        val first = word(old)
        val state = file.readBytes()
        word(new)
        assertArrayEquals(state, file.readBytes())
        assertEquals(first, word(old))
    }
}
