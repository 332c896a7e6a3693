import Foundation

/// A word near another word.
public struct Neighbor: Hashable, Sendable {
    /// A word of the vocabulary.
    public let word: String

    /// Hamming distance between the two codes, in bits.
    public let distance: Int
}

/// An opened bundle, which `brr build` or `brr list` makes and an app ships.
///
/// A bundle without codes is a list, by `brr list`: ``Counts`` can count its strings, but ``Privatizer`` can't
/// release them. Immutable; copies share their content. The index stays in the file, mapped into memory; the
/// mapping ends with the last copy. `spec/bundle-format.md` is the specification.
public struct WordBundle: Sendable {
    /// The words.
    public let vocabulary: Vocabulary

    /// The content of `randomizer.tflite`, for an interpreter (see ``Randomizer``); empty for a list.
    public let graph: Data

    /// SHA-256 of the index (codes, words and masses). An epsilon refers to one index.
    public let digest: String

    /// The name of the manifest in messages.
    let manifestPath: String
    package let index: HammingIndex
    let masses: Masses
    let tokenizer: Tokenizer
    private let content: Manifest

    /// The fields of `manifest.json` (`spec/bundle-format.md`): dictionaries, arrays, strings, `Bool`, `Int`
    /// and `Double`. Fields with the value null are left out.
    public var manifest: [String: any Sendable] { content.json.fields }

    /// The writing rules of the bundle's language.
    public var writing: Writing { content.writing }

    /// Length of a code in bits, with its task bits; 0 for a list.
    public var bits: Int { content.bits }

    /// The kind of a list's strings: `words`, `emoji`, `both` or `strings`; nil if it isn't a list.
    public var listOf: String? { content.listOf?.rawValue }

    /// The number of task bits: the last bits of a code, learned from the bundle's tasks.
    var taskBits: Int { content.taskBits }

    /// Length of a code in bits, without its task bits.
    var wordBits: Int { bits - taskBits }

    /// The recommended setting for text, if an app gives none; nil if there is none.
    public var recommended: Setting? { content.recommended }

    /// The recommended setting for counts, if an app gives none; nil if there is none.
    public var counts: CountsSetting? { content.counts }

    /// The shape of a device's day of text, if an app gives none; nil if there is none.
    public var frames: Frames? { content.frames }

    /// The lists of secret words, and the passing words.
    public var policy: Policy { content.policy }

    /// SHA-256 of the manifest, which names the bundle in reports.
    public var manifestDigest: String { content.json["sha256"]!.string! }

    /// The number of words.
    public var count: Int { vocabulary.count }

    /// Average Hamming distance between words in bits (P_avg), or nil if the bundle lacks it.
    public var averageDistance: Double? { hamming("average") }

    /// Largest Hamming distance between words in bits (P_max), or nil if the bundle lacks it.
    public var maximumDistance: Double? { hamming("maximum") }

    private func hamming(_ name: JSON.Text) -> Double? {
        content.json["distances"]?["hamming"]?[name]?.double
    }

    /// The measured results of a mechanism with its default parameters, strongest first; empty if there are
    /// none. ``recommended`` has the results of the recommended setting.
    ///
    /// - Parameter mechanism: name of the mechanism.
    public func strengths(of mechanism: String) -> [MeasuredStrength] {
        guard let average = averageDistance, average > 0 else { return [] }
        return readStrengths(content.json, average: average, mechanism: mechanism)
    }

    /// Maps the bundle in a directory.
    ///
    /// - Parameters:
    ///   - directory: a directory from `brr build` or `brr list`, such as a folder of an app's resources.
    ///   - verifyHashes: compare the SHA-256 of the manifest and the index with the manifest. Skip this only
    ///     for files with other protection, such as an app's signature.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/bundle``: a file is missing, damaged, or of an
    ///   unknown format version.
    public init(contentsOf directory: URL, verifyHashes: Bool = true) throws(BrrError) {
        let attempts = 10
        for _ in 0..<attempts {
            let folder = try Folder(directory.path)
            do {
                try self.init(folder, verifyHashes: verifyHashes)
                return
            } catch {
                // A bundle that is replaced in the meantime is deleted while it is read.
                if folder.isCurrent { throw error }
            }
        }
        throw .bundle(
            "\(directory.path): replaced again and again while it was opened; try again later")
    }

    /// Maps the bundle in a folder of an app's resources.
    ///
    /// - Parameters:
    ///   - name: name of the folder: a folder reference in Xcode, or a copied resource.
    ///   - bundle: the bundle of the app, its extension, or a package's target.
    /// - Throws: as above; or of kind ``BrrError/Kind/bundle``: there is no such folder.
    public init(
        resource name: String, in bundle: Foundation.Bundle = .main, verifyHashes: Bool = true
    ) throws(BrrError) {
        guard let directory = bundle.resourceURL?.appendingPathComponent(name) else {
            throw .bundle("\(name): the app has no resources; copy the bundle's folder into them")
        }
        try self.init(contentsOf: directory, verifyHashes: verifyHashes)
    }

    /// Maps the bundle in a directory, away from the caller's actor: it takes some milliseconds.
    ///
    /// - Throws: as ``init(contentsOf:verifyHashes:)``.
    public static func open(
        _ directory: URL, verifyHashes: Bool = true
    ) async throws(BrrError) -> WordBundle {
        try WordBundle(contentsOf: directory, verifyHashes: verifyHashes)
    }

    private init(_ folder: Folder, verifyHashes: Bool) throws(BrrError) {
        let manifest = try Manifest(in: folder, verifyHash: verifyHashes)
        let mapped = try WordBundle.map(FileName.index, folder, manifest, verifyHashes)
        let read = try readIndex(
            mapped, path: folder.path(FileName.index), words: manifest.vocabularySize,
            bits: manifest.bits, bigrams: manifest.bigrams)
        if manifest.policy.hasForm(in: read.vocabulary) {
            throw damaged(
                folder.path(FileName.manifest), "field 'policy' has a form that is a word")
        }
        graph =
            manifest.listOf == nil ? try WordBundle.graph(folder, manifest, verifyHashes) : Data()
        vocabulary = read.vocabulary
        content = manifest
        digest = manifest.file(FileName.index).sha256
        manifestPath = folder.path(FileName.manifest)
        index = HammingIndex(codes: read.codes)
        masses = read.masses
        tokenizer = Tokenizer(
            writing: manifest.writing, vocabulary: read.vocabulary, costs: Costs(read.masses),
            listOf: manifest.listOf, policy: manifest.policy)
    }

    private static func graph(
        _ folder: Folder, _ manifest: Manifest, _ verifyHash: Bool
    ) throws(BrrError) -> Data {
        let graph = try map(FileName.randomizer, folder, manifest, verifyHash)
        guard graph.withUnsafeBytes(sha256) == graphs[manifest.bits] else {
            throw damaged(
                folder.path(FileName.randomizer), "not the randomizer of \(manifest.bits) bits")
        }
        return graph.withUnsafeBytes { Data($0) }
    }

    /// Checks that the bundle isn't a list.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: it is one.
    func checkCodes() throws(BrrError) {
        if bits == 0 {
            throw .parameter("a list has no codes, so its strings can only be counted")
        }
    }

    private static func map(
        _ name: String, _ folder: Folder, _ manifest: Manifest, _ verifyHash: Bool
    ) throws(BrrError) -> MappedBytes {
        let content = try folder.map(name)
        let expected = manifest.file(name)
        if content.count != expected.size {
            throw damaged(
                folder.path(name), "\(content.count) bytes, the manifest says \(expected.size)")
        }
        if verifyHash && content.withUnsafeBytes(sha256) != expected.sha256 {
            throw changed(folder.path(name))
        }
        return content
    }

    /// Returns the normalized tokens of a text. ``Privatizer/text(_:marks:rest:)`` releases a word for each.
    ///
    /// The cuts depend on the bundle's writing rules and, in some languages, on its words. Where these rules
    /// have `before` or `links`, forms of the policy's lists stay uncut, too: `spec/bundle-format.md`,
    /// "Tokenizer".
    public func tokenize(_ text: String) -> [String] {
        read(text).map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// Returns the finished part of a text in progress: the part that can already be released.
    ///
    /// ``writing`` decides it. With a list, no part is finished before the whole text.
    ///
    /// - Parameter text: the text typed since the last finished part.
    public func finished(_ text: String) -> String { tokenizer.finished(text) }

    /// Returns the tokens of a text as ``tokenize(_:)`` does, with the words that they are typed as.
    package func read(_ text: String) -> [Token] { tokenizer.read(text) }

    /// Returns a text in the vocabulary's normal form: composed, in lower case, with plain apostrophes, and with
    /// the replacements of the writing rules; with a list, in the form of its strings.
    public func normalize(_ text: String) -> String {
        let kind = content.listOf
        return String(
            decoding: kind.map { tokenizer.normalize(text, of: $0) } ?? tokenizer.normalize(text),
            as: UTF8.self)
    }

    /// Returns the `k` other words nearest to `word`, the nearest first.
    ///
    /// Use it for suggestions, and to inspect a bundle; it privatizes nothing.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/outOfVocabulary``: the word isn't in the vocabulary;
    ///   or of kind ``BrrError/Kind/parameter``: `k` isn't from 1 to ``count`` - 1, or the bundle is a list.
    public func neighbors(of word: some StringProtocol, k: Int = 10) throws(BrrError) -> [Neighbor]
    {
        try checkCodes()
        guard (1..<count).contains(k) else {
            throw .parameter("k must be from 1 to \(count - 1), not \(k)")
        }
        guard let id = vocabulary.find(tokenizer.normalize(word)[...]) else {
            throw BrrError(
                .outOfVocabulary, "the word is out of vocabulary: it has no neighbors")
        }
        // A word with the same code and a lower rank may come first. Drop the word itself.
        let others = index.nearest(index.codes[id], k + 1).filter { $0.id != id }
        return others.prefix(k).map {
            Neighbor(word: vocabulary.word($0.id)!, distance: $0.distance)
        }
    }
}

/// SHA-256 of `randomizer.tflite` for each number of bits. A graph is code: any other graph could flip other
/// bits, or crash the interpreter.
private let graphs = [
    64: "ac478cf28e07066e7261123668b9143aa2c4c19827900947200186685e3ba08f",
    128: "015376fdef531692fb94bd83c5e452894e305aad042a5e146134da6bfc1251db",
    192: "7abb8acf6bf478a8e387d061827602babbc6c3d600da1e6a585cb28ce3532319",
    256: "396833980553f94dcb406e56ef8e722399475c8e2c09b1378196ec286ea35bed",
    320: "e3d4c4057644e31f02e85c6328f30e92e233739c67a111b581af29976d28aa1a",
    384: "c5d0697506d094356c3fe283d657452e3d4c1711d4528ba5cac6b92ad2d823a7",
    448: "a4581f75e634498175018a7e86d60bf1f2d349aa257e0e28d26ecee78992896b",
    512: "f71694bc70b1af655850cc2e089a5625e799cbedbfa6e9b21e22a62a3c4493af",
]
