import Brrkit
import Foundation

/// The keyboards of several languages. Each has its own bundle, budgets, memory and outbox; all share one
/// consent.
///
/// Each language has its own folder of files. The losses of two bundles have different units, so one budget
/// can't add them. Each language therefore has its own limit, and a day's loss over all languages is at most
/// the sum of their limits.
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
    /// Whether words of any language may leave the device. Withdrawing it empties all outboxes, including
    /// those of an earlier version's languages.
    public let consent: Consent

    private let folder: URL
    private let options: (String) -> BrrKeyboard.Options
    private let open: @Sendable (String) throws(BrrError) -> WordBundle
    private var made = [String: BrrKeyboard]()

    /// Describes the keyboards. Each is created, and its bundle opened, at its first use.
    ///
    /// - Parameters:
    ///   - languages: names of the languages and of their folders, such as BCP 47 tags.
    ///   - folder: folder of all files, excluded from backups.
    ///   - options: options of a language's keyboard. Each language needs its own vaults: a new key erases
    ///     the old one of the same name.
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
