import Brrkit
import Foundation

/// Bundles that an app downloaded, beside the one in its package; one of them is used at a time.
///
/// The rule of an update: a period of the budget counts one bundle. The old bundle goes on until its period
/// has ended, and ``open(_:packaged:)`` then begins with the new one. The memory's key stays; it gives each
/// word a new first draw on the new bundle, which the budget counts. What waits in the outbox is sent as it
/// is, in the old bundle's name. A crash at any instant leaves the old bundle or the new.
///
/// The digests in a bundle detect damage, and don't authenticate it. So the app says which bundle it expects,
/// by a digest that something signed names.
public struct BundleStore: Sendable {
    private let folder: URL
    private var pointer: URL { folder.appendingPathComponent("current") }
    private var next: URL { folder.appendingPathComponent("next") }

    /// Names the store's folder, in an existing one that backups leave out.
    public init(folder: URL) { self.folder = folder }

    /// Copies a bundle into the store; it is used from a later start on.
    ///
    /// - Parameters:
    ///   - bundle: a folder with the three files of a bundle.
    ///   - manifestDigest: the `sha256` of its manifest, as something signed names it.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/bundle``: it is damaged or another one; or
    ///   ``FileError``. The bundle that is used stays.
    public func install(_ bundle: URL, manifestDigest: String) throws {
        try locked {
            _ = try checked(bundle, manifestDigest)
            // The one in use isn't written anew.
            if (try? checked(place(manifestDigest), manifestDigest)) == nil {
                try copy(bundle, manifestDigest)
            }
            try replaceDurably(next, Array(manifestDigest.utf8))
        }
    }

    private func copy(_ bundle: URL, _ manifestDigest: String) throws {
        let place = place(manifestDigest)
        let new = place.appendingPathExtension("new")
        try deleteDurably(new)
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        for name in files {
            let file = bundle.appendingPathComponent(name)
            guard let content = try contents(file, limit: mostBytes) else {
                throw FileError(file.path, "read")
            }
            try replaceDurably(new.appendingPathComponent(name), content)
        }
        _ = try checked(new, manifestDigest)  // it may have changed meanwhile
        try deleteDurably(place)
        guard rename(new.path, place.path) == 0 else { throw FileError(place.path, "written") }
        try syncNames(folder)
    }

    /// Opens the bundle to use, at the start of a process: the new one, if the budget's running period counts
    /// nothing of another bundle; or else the one before. The packaged one is used where the store has none,
    /// or its bundle is damaged.
    ///
    /// - Parameters:
    ///   - budget: of which words are released, if there is one.
    ///   - packaged: opens the bundle in the app's package.
    /// - Throws: what `packaged` throws, or the budget's ``BrrError``.
    public func open(
        _ budget: PrivacyBudget?, packaged: () throws(BrrError) -> WordBundle
    ) throws(BrrError) -> WordBundle {
        let unit = try budget?.unit()
        let opened = try? locked { () -> WordBundle? in
            if let digest = digest(in: next), let new = try? checked(place(digest), digest),
                unit == nil || unit == new.digest
            {
                try replaceDurably(pointer, Array(digest.utf8))
                try deleteDurably(next)
                try removeOthers(than: digest)
                return new
            }
            return try digest(in: pointer).map { try checked(place($0), $0) }
        }
        if let opened = opened ?? nil { return opened }
        return try packaged()
    }

    /// Forgets all of the store's bundles: the packaged one is used from the next start on.
    public func clear() throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        try locked {
            try deleteDurably(next)
            try deleteDurably(pointer)
            try removeOthers(than: nil)
        }
    }

    private func checked(_ bundle: URL, _ manifestDigest: String) throws(BrrError) -> WordBundle {
        let opened = try WordBundle(contentsOf: bundle)
        guard opened.manifestDigest == manifestDigest else {
            throw BrrError(
                .bundle,
                "\(bundle.path): isn't the bundle whose manifest's digest was given; download it again"
            )
        }
        return opened
    }

    private func place(_ digest: String) -> URL { folder.appendingPathComponent(digest) }

    private func digest(in file: URL) -> String? {
        guard let content = try? contents(file, limit: 65), content.count == 64 else { return nil }
        let digest = String(decoding: content, as: UTF8.self)
        return digest.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? digest : nil
    }

    private func removeOthers(than digest: String?) throws {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.count >= 64 && name != digest {
            try deleteDurably(place(name))
        }
    }

    private func locked<Result>(_ action: () throws -> Result) throws -> Result {
        if mkdir(folder.path, 0o700) != 0 && errno != EEXIST {
            throw FileError(folder.path, "made")
        }
        let lock = try FileLock(folder.appendingPathComponent("lock"))
        defer { withExtendedLifetime(lock) {} }
        return try action()
    }
}

private let files = ["manifest.json", "index.safetensors", "randomizer.tflite"]
private let mostBytes = 1 << 30
