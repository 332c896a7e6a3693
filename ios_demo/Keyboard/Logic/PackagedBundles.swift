import Brrkit
import Foundation

/// The bundles in the app's package: one for each language, in a folder named by its BCP 47 tag.
struct PackagedBundles: Sendable {
    /// The tags, in ascending order.
    let languages: [String]
    private let folder: URL

    /// Lists the bundles in a folder.
    init(in folder: URL) {
        self.folder = folder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        languages = names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The first language to use: the first one that the user speaks, otherwise the first one.
    ///
    /// - Parameter spoken: tags of languages, the preferred ones first.
    func first(_ spoken: [String] = Locale.preferredLanguages) -> String {
        func primary(_ tag: String) -> Substring? { tag.split(separator: "-").first }
        for tag in spoken {
            if let language = languages.first(where: { primary($0) == primary(tag) }) {
                return language
            }
        }
        return languages.first ?? Writing.english.language
    }

    /// The language after another one; after the last, the first.
    func next(after language: String) -> String {
        let place = languages.firstIndex(of: language) ?? -1
        return languages.isEmpty ? language : languages[(place + 1) % languages.count]
    }

    /// Opens the bundle of a language.
    func open(_ language: String) throws(BrrError) -> WordBundle {
        try WordBundle(contentsOf: folder.appendingPathComponent(language))
    }
}
