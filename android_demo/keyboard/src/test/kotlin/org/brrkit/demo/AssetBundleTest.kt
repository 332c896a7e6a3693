package org.brrkit.demo

import android.content.ContextWrapper
import android.content.res.AssetManager
import java.io.File
import java.util.zip.ZipEntry
import java.util.zip.ZipFile
import java.util.zip.ZipOutputStream
import org.brrkit.BundleException
import org.brrkit.WordBundle
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** A bundle in an app's package; what opening checks is tested with directories, in `brr`. */
@RunWith(RobolectricTestRunner::class)
class AssetBundleTest {
    @get:Rule
    val temporary = TemporaryFolder()

    private val application = RuntimeEnvironment.getApplication()

    @Test
    fun everyWordIsReadWhereItIsMapped() {
        val vocabulary = WordBundle.open(application.assets, "bundles/en").vocabulary
        assertTrue(vocabulary.size >= 2)
        for (id in 0 until vocabulary.size) assertEquals(id, vocabulary.find(vocabulary.word(id)))
    }

    @Test
    fun aMissingBundleIsNamed() {
        val error = assertThrows(BundleException::class.java) {
            WordBundle.open(application.assets, "other")
        }
        assertTrue(error.message, error.message!!.startsWith("assets/other/manifest.json: can't be"))
    }

    @Test
    fun aCompressedIndexIsRefusedWithTheRemedy() {
        val error = assertThrows(BundleException::class.java) {
            WordBundle.open(assetsOf(compressed("assets/bundles/en/index.safetensors")), "bundles/en")
        }
        val message = error.message!!
        assertTrue(message, message.startsWith("assets/bundles/en/index.safetensors: compressed"))
        assertTrue(message, "noCompress += \"safetensors\"" in message)
    }

    /** A list has no randomizer. */
    @Test
    fun aCompressedListIsCopied() {
        val list = File(System.getProperty("brr.work").orEmpty(), "bundles/list-emoji")
        val packed = temporary.newFile("list.apk")
        ZipOutputStream(packed.outputStream()).use { target ->
            for (name in listOf("manifest.json", "index.safetensors")) {
                target.putNextEntry(ZipEntry("assets/list/$name"))
                File(list, name).inputStream().use { it.copyTo(target) }
                target.closeEntry()
            }
        }
        val copied = WordBundle.open(contextOf(assetsOf(packed)), "list")
        assertEquals("emoji", copied.listOf)
        assertEquals(WordBundle.open(list).digest, copied.digest)
    }

    private fun contextOf(assets: AssetManager) = object : ContextWrapper(application) {
        override fun getAssets() = assets

        override fun getNoBackupFilesDir() = temporary.root
    }

    @Test
    fun aCompressedBundleIsCopiedOnce() {
        val context = contextOf(assetsOf(compressed("assets/bundles/en/index.safetensors")))
        fun copy(): File = temporary.root.listFiles { file -> file.name.startsWith("brrkit-") }!!
            .single().listFiles { file -> file.isDirectory }!!.single()
        val expected = WordBundle.open(application.assets, "bundles/en")
        repeat(2) {
            val bundle = WordBundle.open(context, "bundles/en")
            assertEquals(expected.digest, bundle.digest)
            assertEquals(expected.vocabulary.word(0), bundle.vocabulary.word(0))
        }
        val index = File(copy(), "index.safetensors")
        index.setLastModified(1_000_000_000_000)
        WordBundle.open(context, "bundles/en")
        assertEquals("copied again", 1_000_000_000_000, index.lastModified())

        index.writeText("damaged")
        File(copy().parentFile, "0".repeat(64)).mkdir() // an older bundle's
        assertEquals(expected.digest, WordBundle.open(context, "bundles/en").digest)
        assertEquals(expected.manifest, WordBundle.open(copy()).manifest)

        assertEquals(expected.digest, WordBundle.open(application, "bundles/en").digest)
        assertEquals(0, application.noBackupFilesDir.list { _, name -> "brrkit-" in name }!!.size)
    }

    /** Returns the app's package with one file compressed. */
    private fun compressed(name: String): File {
        val copy = temporary.newFile("app.apk")
        ZipFile(application.applicationInfo.publicSourceDir).use { source ->
            ZipOutputStream(copy.outputStream()).use { target ->
                for (entry in source.entries()) {
                    val stored = entry.method == ZipEntry.STORED && entry.name != name
                    target.putNextEntry(if (stored) ZipEntry(entry) else ZipEntry(entry.name))
                    source.getInputStream(entry).copyTo(target)
                    target.closeEntry()
                }
            }
        }
        return copy
    }

    private fun assetsOf(file: File): AssetManager {
        val assets = AssetManager::class.java.getDeclaredConstructor().newInstance()
        val add = AssetManager::class.java.getMethod("addAssetPath", String::class.java)
        assertTrue(add.invoke(assets, file.path) as Int > 0)
        return assets
    }
}
