package org.brrkit.keyboard

import java.io.File
import org.brrkit.WordBundle
import org.brrkit.Writing

/** Opens one of the bundles from `tests/phones/prepare.sh`: 64, or that of a language. */
fun bundleOf(name: String): WordBundle =
    WordBundle.open(File(System.getProperty("brr.work").orEmpty(), "bundles/$name"))

/** The writing rules in a language's bundle. */
fun writingOf(language: String): Writing = bundleOf("writing-$language").writing
