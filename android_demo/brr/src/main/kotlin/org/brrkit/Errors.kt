package org.brrkit

/**
 * Base of every error that brrkit raises on purpose.
 *
 * A message names the file, field or parameter and what to do about it. It never contains text
 * that somebody typed.
 */
public sealed class BrrException(message: String) : RuntimeException(message)

/** A bundle is missing, damaged, or of a format that this version doesn't read. */
public class BundleException(message: String) : BrrException(message)

/** A parameter is outside what the guarantee or the bundle allows. */
public class ParameterException(message: String) : BrrException(message)

/** A word isn't in the vocabulary and the policy is [Oov.ERROR]. The word isn't named. */
public class OutOfVocabularyException(message: String) : BrrException(message)

/** The privacy budget is used up, or its state file can't be trusted. Nothing was released. */
public class BudgetException(message: String) : BrrException(message)
