package org.brrkit.demo

import java.io.File
import java.util.Locale
import javax.xml.parsers.DocumentBuilderFactory
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.w3c.dom.Element
import org.w3c.dom.NodeList

/** The texts of the keyboard and of the library, in all languages of the interface. */
class LanguagesTest {
    private val modules = listOf("src/main/res", "../brr-keyboard/src/main/res").map(::File)
    private val languages = elements(File(modules[0], "xml/locales_config.xml"))
        .map { it.getAttribute("android:name") }
    private val translations = languages - "en"

    @Test
    fun allLanguagesAreOffered() {
        assertEquals(listOf("en", "de", "es", "fr", "pt"), languages)
        for (module in modules) {
            val folders = module.listFiles().orEmpty().map(File::getName)
                .mapNotNull { Regex("values-([a-z]{2})").matchEntire(it)?.groupValues?.get(1) }
            assertEquals("$module", translations.toSet(), folders.toSet())
        }
    }

    @Test
    fun noTextIsMissingAndNoneIsLeftOver() {
        for (module in modules) {
            val english = texts(module, "en")
            assertTrue("$module", english.size > 10)
            for (language in translations) {
                assertEquals(language, english.keys, texts(module, language).keys)
            }
        }
    }

    @Test
    fun allHaveTheSameArguments() {
        for (module in modules) {
            val english = texts(module, "en")
            for (language in languages) {
                for ((key, text) in texts(module, language)) {
                    val expected = arguments(english.getValue(key).values.last())
                    for ((form, words) in text) {
                        assertEquals("$language: $key: $form: $words", expected, arguments(words))
                    }
                }
            }
        }
    }

    /** As Unicode's CLDR has them: Spanish, French and Portuguese count by the million otherwise. */
    @Test
    fun allNumbersOfWordsHaveTheLanguagesForms() {
        val millions = setOf("one", "many", "other")
        for (language in languages) {
            val forms = if (language in setOf("es", "fr", "pt")) millions else setOf("one", "other")
            val counted = modules.flatMap { texts(it, language).values }.filter { "other" in it }
            assertTrue(counted.isNotEmpty())
            for (text in counted) assertEquals("$language: $text", forms, text.keys)
        }
    }

    @Test
    fun allAreTranslated() {
        for (module in modules) {
            val english = texts(module, "en")
            for (language in translations) {
                val texts = texts(module, language)
                for ((key, text) in texts) {
                    val (own, other) = text.values.last() to english.getValue(key).values.last()
                    if (other.count { it == ' ' } > 1) assertNotEquals("$language: $key", other, own)
                    assertEquals("$language: $key", own.trim(), own)
                    assertEquals("$language: $key", "<small>" in other, "<small>" in own)
                }
            }
        }
        for (language in languages) {
            assertEquals(mapOf("text" to language), texts(modules[0], language)["language"])
        }
    }

    /** In French a sign of two parts stands behind a space that doesn't break. */
    @Test
    fun frenchSignsStayOnTheirLine() {
        for (text in modules.flatMap { texts(it, "fr").values }.flatMap { it.values }) {
            assertFalse(text, Regex("[^\\u00a0][:;!?»]( |$)|« ").containsMatchIn(text))
        }
    }

    @Test
    fun everySymbolHasANameOfItsOwn() {
        val keys = Page.entries.flatMap { it.rows(switches = true, layoutOf("en")).flatten() }.map(Key::action)
        val symbols = keys.flatMap { key -> listOf((key as? KeyAction.Type)?.text) + key.choices }
            .filterNotNull()
            .filterNot { it == " " || Character.isLetterOrDigit(it.codePointAt(0)) }
            .toSet()
        for (language in languages) {
            val names = names(language)
            assertEquals(language, symbols, names.keys)
            assertEquals(language, names.size, names.values.toSet().size)
            assertTrue(language, names.values.all { name -> name.any(Char::isLetter) })
        }
        assertEquals("At-Zeichen", names("de")["@"])
    }

    @Test
    fun numbersAreWrittenAsTheTextsLanguage() {
        assertEquals(Locale("de", "CH"), numberLocale(Locale("de", "CH"), "de"))
        assertEquals(Locale.ENGLISH, numberLocale(Locale("ar", "EG"), "en"))
    }

    /** The texts of a [module] in a [language] by their names; each has a form, or one for each number. */
    private fun texts(module: File, language: String): Map<String, Map<String, String>> =
        elements(file(module, language))
            .filter { it.tagName != "string-array" && it.getAttribute("translatable") != "false" }
            .associate { element ->
                val items = elements(element.getElementsByTagName("item"))
                element.getAttribute("name") to
                    if (items.isEmpty()) mapOf("text" to content(element))
                    else items.associate { it.getAttribute("quantity") to content(it) }
            }

    private fun names(language: String): Map<String, String> =
        elements(file(modules[0], language)).single { it.tagName == "string-array" }
            .let { elements(it.getElementsByTagName("item")) }
            .associate { item ->
                val text = item.textContent.removeSurrounding("\"")
                text.substringBefore(' ').removePrefix("\\") to text.substringAfter(' ')
            }

    private fun file(module: File, language: String): File {
        val folder = File(module, if (language == "en") "values" else "values-$language")
        return folder.listFiles().orEmpty().single { it.name.endsWith("strings.xml") }
    }

    /** The text, with the marks in it. */
    private fun content(element: Element): String {
        val parts = element.childNodes
        return (0 until parts.length).map(parts::item)
            .joinToString("") { if (it is Element) "<${it.tagName}>${it.textContent}" else it.textContent }
            .replace("\\u00a0", "\u00a0")
    }

    private fun arguments(text: String): List<String> =
        Regex("%(?:\\d\\$)?.").findAll(text).map { it.value }.toSortedSet().toList()

    private fun elements(file: File): List<Element> {
        val root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file).documentElement
        return elements(root.childNodes)
    }

    private fun elements(nodes: NodeList): List<Element> =
        (0 until nodes.length).map(nodes::item).filterIsInstance<Element>()
}
