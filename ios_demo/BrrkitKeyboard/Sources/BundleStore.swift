import Brrkit
import Foundation

/// Bundles that an app has downloaded, in addition to the one in its package. One of them is in use at a
/// time.
///
/// A period of the budget counts only one bundle. The old bundle therefore stays in use until its period has
/// ended; ``open(_:packaged:)`` then changes to the new one. The memory's key stays. It gives each word a new
/// first draw on the new bundle, and the budget counts this draw. Waiting reports are sent unchanged, and
/// name the old bundle. After a crash at any instant, either the old bundle or the new one is in use.
///
/// The digests in a bundle detect damage, but don't authenticate it. The app therefore states the expected
/// digest, from a signed source.
public struct BundleStore: Sendable {
    private let folder: URL
    private var pointer: URL { folder.appendingPathComponent("current") }
    private var next: URL { folder.appendingPathComponent("next") }

    /// Names the store's folder, in an existing one that is excluded from backups.
    public init(folder: URL) { self.folder = folder }

    /// Copies a bundle into the store. A later start of the app begins to use it.
    ///
    /// - Parameters:
    ///   - bundle: a folder with the three files of a bundle.
    ///   - manifestDigest: the `sha256` of its manifest, from a signed source.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/bundle``: it is damaged or has another digest; or
    ///   ``FileError``. The bundle in use stays.
    public func install(_ bundle: URL, manifestDigest: String) throws {
        try locked {
            _ = try checked(bundle, manifestDigest)
            // The bundle in use isn't written again.
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

    /// Opens the bundle to use; call it when the process starts. It opens the new bundle, unless the budget's
    /// running period counts another one. Otherwise it opens the previous bundle. It opens the packaged
    /// bundle if the store has none, or only a damaged one.
    ///
    /// - Parameters:
    ///   - budget: the budget for releases, if there is one.
    ///   - packaged: opens the bundle in the app's package.
    /// - Throws: the error of `packaged`, or the budget's ``BrrError``.
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

    /// Deletes all of the store's bundles. The next start uses the packaged one.
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
