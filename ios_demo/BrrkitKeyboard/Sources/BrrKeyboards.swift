import Brrkit
import Foundation

/// The keyboards of several languages, each with a bundle, a budget, a memory and an outbox of its own, all under
/// one consent.
///
/// The files of a language are in a folder of its own. Losses with two bundles are in different units, which
/// can't be added up as they stand: a limit is a language's, and a day of all languages loses at most the sum of
/// their limits.
///
/// ```swift
/// let keyboards = BrrKeyboards(["en", "fr"], options) { (language) throws(BrrError) in
///     try WordBundle(resource: "bundles/\(language)")
/// }
/// try keyboards.consent.give()
/// keyboards["fr"].release(typed) { strip.show($0) }
/// ```
@MainActor
public final class BrrKeyboards {
    /// Whether words of any language may leave the device. Withdrawing it empties all outboxes, also those of
    /// languages that an earlier version had.
    public let consent: Consent

    private let folder: URL
    private let options: (String) -> BrrKeyboard.Options
    private let open: @Sendable (String) throws(BrrError) -> WordBundle
    private var made = [String: BrrKeyboard]()

    /// Describes the keyboards; each is made, and its bundle opened, when it is first asked for.
    ///
    /// - Parameters:
    ///   - languages: their names, each that of a folder: BCP 47 tags, say.
    ///   - folder: of all files; one that backups leave out.
    ///   - options: of a language. Its vaults must be its own: a new key erases the old one of the same name.
    ///   - open: opens the bundle of a language.
    public init(
        _ languages: [String], folder: URL = privateFolder(),
        _ options: @escaping (String) -> BrrKeyboard.Options,
        open: @escaping @Sendable (String) throws(BrrError) -> WordBundle
    ) {
        (self.folder, self.options, self.open) = (folder, options, open)
        let there = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let folders = Set(languages + there).sorted().map { folder.appendingPathComponent($0) }
        consent = Consent(
            file: folder.appendingPathComponent("consent"),
            outboxes: ([folder] + folders).map { Outbox(folder: outboxFolder(in: $0), vault: nil) })
    }

    /// The keyboard of a language.
    public subscript(language: String) -> BrrKeyboard {
        if let keyboard = made[language] { return keyboard }
        let folder = folder.appendingPathComponent(language)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keyboard = BrrKeyboard(folder: folder, consent, options(language)) {
            [open] () throws(BrrError) in try open(language)
        }
        made[language] = keyboard
        return keyboard
    }
}
