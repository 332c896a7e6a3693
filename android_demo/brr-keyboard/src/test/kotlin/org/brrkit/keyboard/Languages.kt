package org.brrkit.keyboard

import java.io.File
import org.brrkit.WordBundle
import org.brrkit.Writing

/** Opens one of the bundles that `tests/phones/prepare.sh` makes: 64, or of a language. */
fun bundleOf(name: String): WordBundle =
    WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/$name"))

/** How a language is written, as its bundle says. */
fun writingOf(language: String): Writing = bundleOf("writing-$language").writing
