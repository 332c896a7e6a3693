import Brrkit

/// How many suggestions are shown.
let suggestionsShown = 3

/// Returns words of the bundle's vocabulary for what is typed: words that begin so, and, once it is a
/// word itself, its nearest words. They are written in the case of `typed`.
func suggestions(_ bundle: WordBundle, for typed: String) -> [String] {
    guard let first = typed.first else { return [] }
    let neighbors = try? bundle.neighbors(of: typed, k: suggestionsShown - 1)  // of a word
    let nearest = neighbors?.map(\.word) ?? []
    let completions = bundle.vocabulary.completions(of: typed, limit: suggestionsShown + 1)
        .filter { $0.count > typed.count }
    var found = [String]()
    for word in completions.prefix(suggestionsShown - nearest.count) + nearest + completions
    where !found.contains(word) {
        found.append(word)
    }
    return found.prefix(suggestionsShown).map { word in
        if typed.count > 1 && typed == typed.uppercased() && typed != typed.lowercased() {
            return word.uppercased()
        }
        return first.isUppercase
            ? word.prefix(1).uppercased() + word.dropFirst() : inEnglish(word)
    }
}
