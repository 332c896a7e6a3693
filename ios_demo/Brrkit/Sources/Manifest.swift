enum FileName {
    static let manifest = "manifest.json"
    static let index = "index.safetensors"
    static let randomizer = "randomizer.tflite"
    static let parity = "parity.json"  // not shipped, but named by the manifest
}

/// The content of a checked `manifest.json`.
struct Manifest: Sendable {
    let bits: Int
    let taskBits: Int
    let listOf: ListKind?
    let vocabularySize: Int
    let bigrams: Int
    let writing: Writing
    let recommended: Setting?
    let counts: CountsSetting?
    let frames: Frames?
    let policy: Policy
    let json: JSON
}

/// Size in bytes and SHA-256 of a file, from the manifest.
struct FileEntry {
    let size: Int
    let sha256: String
}

private let format = "brr-bundle"
private let formatVersion = 3
private let manifestLimit = 1 << 20  // bytes; a longer manifest may be hostile
private let vocabularyLimit = 1 << 24
private let bigramsLimit = 1 << 24
private let fileLimit = 1 << 31 - 1  // bytes; the largest size that a device can map

extension Manifest {
    /// Parses and checks the manifest in `folder`.
    init(in folder: Folder, verifyHash: Bool) throws(BrrError) {
        let path = folder.path(FileName.manifest)
        let content = try folder.read(FileName.manifest, limit: manifestLimit)
        guard content.count <= manifestLimit, let json = try? JSON(parsing: content), json.isObject
        else { throw damaged(path, "not a manifest (JSON object, at most 1 MB)") }

        func check(_ valid: Bool, _ field: String) throws(BrrError) {
            if !valid { throw damaged(path, "field '\(field)' is missing or wrong") }
        }
        try check(json["format"]?.string == format, "format")
        try check(json["format_version"]?.isInteger == true, "format_version")
        if json["format_version"]?.integer != formatVersion {
            throw .bundle(
                "\(path): its format version is unknown (this brrkit reads \(formatVersion)); "
                    + "update brrkit or rebuild the bundle")
        }
        let digest = json["sha256"]?.string ?? ""
        try check(isDigest(digest), "sha256")
        if verifyHash && manifestDigest(content, digest) != digest { throw changed(path) }
        let bits = json["bits"]?.integer ?? -1
        try check((0...512).contains(bits) && bits % 64 == 0, "bits")
        let isList = bits == 0
        let listOf = json["list_of"]?.string.flatMap(ListKind.init)
        try check(isList ? listOf != nil : json["list_of"] == nil, "list_of")
        let size = json["vocabulary_size"]?.integer ?? 0
        try check((2...vocabularyLimit).contains(size), "vocabulary_size")
        let taskBits = json["task_bits"]?.integer ?? 0
        let areTaskBits = (64..<max(bits, 64)).contains(taskBits) && taskBits % 64 == 0
        try check(areTaskBits || json["task_bits"] == nil, "task_bits")
        let bigrams = json["bigrams"]?.integer ?? -1
        try check((0...(isList ? 0 : bigramsLimit)).contains(bigrams), "bigrams")
        let graph = isList ? [] : [FileName.randomizer]
        for name in [FileName.index] + graph + [FileName.parity] {
            try check(FileEntry(json["files"]?[JSON.Text(name)]) != nil, "files.\(name)")
        }
        let writing = json["writing"] == nil ? .english : json["writing"].flatMap(Writing.init)
        try check(writing != nil, "writing")
        let recommended = json["recommended"].flatMap { Setting($0, wordBits: bits - taskBits) }
        try check(
            isList
                ? json["recommended"] == nil : recommended != nil || json["recommended"] == nil,
            "recommended")
        let counts = json["counts"].flatMap(CountsSetting.init)
        try check(counts != nil || json["counts"] == nil, "counts")
        let frames = json["frames"].flatMap(Frames.init)
        try check(frames != nil && !isList || json["frames"] == nil, "frames")
        let policy = json["policy"].map { isList ? nil : Policy($0, size: size) } ?? Policy.none
        try check(policy != nil, "policy")
        self.init(
            bits: bits, taskBits: taskBits, listOf: listOf, vocabularySize: size, bigrams: bigrams,
            writing: writing!, recommended: recommended, counts: counts, frames: frames,
            policy: policy!, json: json)
    }

    /// The manifest's entry for a file.
    func file(_ name: String) -> FileEntry { FileEntry(json["files"]?[JSON.Text(name)])! }
}

extension FileEntry {
    fileprivate init?(_ json: JSON?) {
        guard let size = json?["size"]?.integer, (0...fileLimit).contains(size),
            let digest = json?["sha256"]?.string, isDigest(digest)
        else { return nil }
        self.init(size: size, sha256: digest)
    }
}

/// Returns the error for a bundle's file with some `damage`.
func damaged(_ path: String, _ damage: String) -> BrrError {
    .bundle("\(path): \(damage); rebuild the bundle")
}

/// Returns the error for a file with another SHA-256.
func changed(_ path: String) -> BrrError {
    damaged(path, "changed since it was built (SHA-256)")
}

/// Returns the SHA-256 of a manifest with its own `digest` replaced by zeros.
private func manifestDigest(_ content: [UInt8], _ digest: String) -> String {
    let digest = Array(digest.utf8)
    var zeroed = content
    var at = 0
    while at + digest.count <= zeroed.count {
        if zeroed[at] == digest[0] && zeroed[at..<at + digest.count].elementsEqual(digest) {
            for i in digest.indices { zeroed[at + i] = UInt8(ascii: "0") }
            at += digest.count
        } else {
            at += 1
        }
    }
    return zeroed.withUnsafeBytes(sha256)
}

func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
}
