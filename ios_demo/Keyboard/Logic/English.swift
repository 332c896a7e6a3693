import Brrkit

/// `word` in English spelling: the pronoun I is a capital, alone or contracted with a verb.
func inEnglish(_ word: String) -> String {
    pronouns.contains(word) ? "I" + word.dropFirst() : word
}

/// Whether `word`, typed behind the text `before`, is the pronoun I, now that `next` follows it. It isn't
/// in wi-fi, i.e., i/o, x.i or i=1; nor in a list's (i).
func isPronoun(_ word: String, before: String, next: String) -> Bool {
    guard pronouns.contains(word) else { return false }
    guard word == "i" ? " \n,?!".contains(next) : !Writing.english.finished(next).isEmpty else {
        return false
    }
    return before.last.map { $0.isWhitespace || "(\"“‘".contains($0) } ?? true
}

/// Whether a sentence ends in the pronoun in `before`: "so am i.", not a list's "i."
func endsInPronoun(_ before: String) -> Bool {
    guard before.hasSuffix(" i.") else { return false }
    return before.dropLast(3).last.map { !$0.isWhitespace } ?? false
}

private let pronouns: Set<String> = Set(
    ["'", "’"].flatMap { apostrophe in ["m", "d", "ll", "ve"].map { "i" + apostrophe + $0 } } + [
        "i"
    ])
