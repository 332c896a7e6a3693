import Foundation

/// The texts of the interface in one language; `Resources` has them.
struct Texts: Sendable {
    /// The number format: the device's, if its language is the same.
    let locale: Locale
    private let source: Source

    /// The text of a key, with arguments in the places `%1$@` and so on.
    func text(_ key: String, _ arguments: String...) -> String {
        var text = source.text(key, table: "Localizable")
        for (number, argument) in arguments.enumerated() {
            text = text.replacingOccurrences(of: "%\(number + 1)$@", with: argument)
        }
        return text
    }

    /// The text of a key, in the plural form of a number.
    func text(_ key: String, count: Int) -> String { source.plural(key, count, locale) }

    /// A symbol's name; nil if it has none.
    func name(of symbol: String) -> String? {
        let name = source.text(symbol, table: "Symbols")
        return name == symbol ? nil : name  // a key that isn't in a table is its own text
    }

    /// A number, with at most two decimals.
    func number(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(0...2)).locale(locale))
    }

    func number(_ value: Int) -> String { number(Double(value)) }

    private init(_ source: Source, device: Locale) {
        let language = source.text("language", table: "Localizable")
        let isSpoken =
            device.identifier.split { "_-".contains($0) }.first.map(String.init) == language
        locale = isSpoken ? device : Locale(identifier: language)
        self.source = source
    }
}

#if canImport(Darwin)
extension Texts {
    /// In the language that the user chose for this app.
    static let system = Texts(Source(), device: .current)
}

private struct Source: Sendable {
    func text(_ key: String, table: String) -> String {
        Bundle.main.localizedString(forKey: key, value: nil, table: table)
    }

    func plural(_ key: String, _ count: Int, _ locale: Locale) -> String {
        String(format: text(key, table: "Localizable"), locale: locale, count)
    }
}
#else
// Foundation on Linux has no plural forms. Only tests run there, and read the same files with this.

extension Texts {
    static let system = Texts(language: "en")

    init(language: String, device: Locale = Locale(identifier: "en_US")) {
        self.init(Source(language: language), device: device)
    }
}

private struct Source: Sendable {
    private let tables: [String: [String: String]]
    private let plurals: [String: [String: String]]  // by key and category

    init(language: String) {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Resources/\(language).lproj")
        func read(_ name: String) -> [String: Any] {
            let data = try! Data(contentsOf: folder.appendingPathComponent(name))
            return try! PropertyListSerialization.propertyList(from: data, format: nil)
                as! [String: Any]
        }
        tables = Dictionary(
            uniqueKeysWithValues: ["Localizable", "Symbols"].map {
                ($0, read("\($0).strings") as! [String: String])
            })
        plurals = read("Localizable.stringsdict").mapValues {
            ($0 as! [String: Any])["words"] as! [String: String]
        }
    }

    func text(_ key: String, table: String) -> String { tables[table]![key] ?? key }

    /// By the rules of English, German, Spanish, French and Portuguese.
    func plural(_ key: String, _ count: Int, _ locale: Locale) -> String {
        let forms = plurals[key]!
        let isOne =
            count == 1
            || (count == 0 && ["fr", "pt"].contains(text("language", table: "Localizable")))
        let isMillions = count > 0 && count % 1_000_000 == 0
        let form = (isOne ? forms["one"] : isMillions ? forms["many"] : nil) ?? forms["other"]!
        return form.replacingOccurrences(of: "%ld", with: count.formatted(.number.locale(locale)))
    }
}
#endif
