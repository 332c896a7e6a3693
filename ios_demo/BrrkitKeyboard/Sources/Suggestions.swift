import Brrkit
import Foundation

/// Largest number of suggestions.
public let suggestionsShown = 3

/// Returns words of the bundle's vocabulary for the `typed` text: words that begin with it and, once it is a
/// word itself, its nearest words. They have the case of `typed`. If the text is cut into several words, such
/// as l'hom, the last one is completed.
public func suggestions(_ bundle: WordBundle, for typed: String) -> [String] {
    var found = suggestions(bundle, forWord: typed)
    if let last = bundle.tokenize(typed).last {
        let length = last.unicodeScalars.count
        let rest = String(typed.unicodeScalars.suffix(length))
        if rest != typed, bundle.normalize(rest) == last {
            let first = String(typed.unicodeScalars.dropLast(length))
            found += suggestions(bundle, forWord: rest).map { first + $0 }
        }
    }
    return distinct(found)
}

private func suggestions(_ bundle: WordBundle, forWord typed: String) -> [String] {
    guard let first = typed.first else { return [] }
    let neighbors = try? bundle.neighbors(of: typed, k: suggestionsShown - 1)  // of a word
    let nearest = neighbors?.map(\.word) ?? []
    let completions = bundle.vocabulary
        .completions(of: bundle.normalize(typed), limit: suggestionsShown + 1)
        .filter { $0.count > typed.count }
    let language = Locale(identifier: bundle.writing.language)  // Turkish has two kinds of i
    let found = completions.prefix(suggestionsShown - nearest.count) + nearest + completions
    return distinct(found).map { word in
        if typed.count > 1 && typed == typed.uppercased() && typed != typed.lowercased() {
            return word.uppercased(with: language)
        }
        if !first.isUppercase { return word }
        return String(word.prefix(1)).uppercased(with: language) + word.dropFirst()
    }
}

/// Returns the first words to show, each once.
private func distinct(_ words: some Sequence<String>) -> [String] {
    var distinct = [String]()
    for word in words where !distinct.contains(word) { distinct.append(word) }
    return Array(distinct.prefix(suggestionsShown))
}

/// Finds suggestions on a separate queue, because a release waits for the disk and would delay them. Only the
/// last request is answered.
final class Suggester: @unchecked Sendable {  // the lock is held wherever the request is used
    private let queue = DispatchQueue(label: "org.brrkit.suggestions", qos: .userInitiated)
    private let lock = NSLock()
    private var asked = 0

    func suggest(
        _ prefix: String, _ bundle: BundleQueue,
        _ done: @escaping @MainActor @Sendable ([String]) -> Void
    ) {
        let number = lock.withLock {
            asked += 1
            return asked
        }
        if prefix.isEmpty { return }
        bundle.run(on: queue) { bundle in
            guard self.isLast(number) else { return }
            let words = (try? bundle.get()).map { suggestions($0, for: prefix) } ?? []
            DispatchQueue.main.async {
                if self.isLast(number) { done(words) }
            }
        }
    }

    private func isLast(_ number: Int) -> Bool { lock.withLock { number == asked } }
}
