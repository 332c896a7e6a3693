import Foundation

@testable import Brrkit

/// The folder that `tests/ios.sh` prepares: bundles, hostile bundles, Python's cases.
enum Work {
    static let folder: URL = {
        guard let path = ProcessInfo.processInfo.environment["BRR_WORK"] else {
            fatalError("BRR_WORK isn't set: run these tests by 'make ios'")
        }
        return URL(fileURLWithPath: path)
    }()

    /// Bundles by the toolchain, of 2,000 words: named by their bits, and `tasks`, `64` with 64 task bits.
    static let bundles = all.filter { ["64", "256", "tasks"].contains($0.key) }

    /// These, small ones of other languages, and lists.
    static let all: [String: WordBundle] = {
        var bundles = [String: WordBundle]()
        for name in try! FileManager.default.contentsOfDirectory(atPath: file("bundles").path) {
            bundles[name] = try! WordBundle(contentsOf: file("bundles/\(name)"))
        }
        return bundles
    }()

    static var bundle64: WordBundle { bundles["64"]! }

    static func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    static func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name).path)
    }

    /// Reads a file with a JSON object on every line.
    static func cases(_ name: String) throws -> [JSON] {
        try [UInt8](Data(contentsOf: file(name))).split(separator: UInt8(ascii: "\n")).map {
            try JSON(parsing: Array($0))
        }
    }

    /// Makes a folder that is gone when the tests have ended.
    static func temporaryFolder() throws -> URL {
        let made = folder.appendingPathComponent("temporary/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        return made
    }

    /// Makes the memory whose key a case has, or none.
    static func memory(_ each: JSON) throws -> Memory? {
        guard let key = each["key"]?.string else { return nil }
        let file = try temporaryFolder().appendingPathComponent("memory")
        let state = signed(
            "{\"format\": \"brr-memory\", \"format_version\": 1, "
                + "\"number\": \(each["number"]!.integer!), \"key\": \"\(key)\", "
                + "\"elapsed\": 0, \"latest\": 0, \"boot\": \"\", \"uptime\": 0")
        try Data(state).write(to: file)
        return try Memory(period: 1e12, keyFile: file)
    }

    /// Makes a copy of the bundle of 64 bits, to be changed.
    static func copyOfBundle() throws -> URL {
        let copy = try temporaryFolder().appendingPathComponent("bundle")
        try FileManager.default.copyItem(at: file("bundles/64"), to: copy)
        return copy
    }
}

/// Returns known bytes. Fails if more are requested. With none to give, it notes what the system's source
/// gives.
final class Replay: RandomSource, @unchecked Sendable {
    private let lock = NSLock()
    private var rest: ArraySlice<UInt8>
    private let records: Bool
    private(set) var drawn = [UInt8]()

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        records = false
    }

    init(recording: Void = ()) {
        rest = []
        records = true
    }

    var left: Int { rest.count }

    func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
        lock.lock()
        defer { lock.unlock() }
        if records {
            let some = try SystemRandom().bytes(count)
            drawn += some
            return some
        }
        guard count <= rest.count else {
            throw BrrError(.randomness, "more random bytes are wanted than there are")
        }
        let some = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Array(some)
    }
}

/// Gives zeros: whatever may stay as it is, stays.
struct Zeros: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

func bytes(ofHexadecimal digits: String) -> [UInt8] {
    let values = digits.utf8.map { $0 < 0x40 ? $0 & 0xF : $0 & 0xF + 9 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}

func code(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count, by: 8).map { start in
        bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

func bytes(_ code: [UInt64]) -> [UInt8] {
    code.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
}

extension JSON {
    /// The elements of an array, as strings; null is nil.
    var strings: [String?] { array!.map(\.string) }

    /// The mechanism of a case with `mechanism` and, perhaps, `parameters`.
    var asMechanism: Mechanism {
        get throws {
            guard case .object(let parameters) = self["parameters"] ?? [:] else {
                throw JSONError()
            }
            return Mechanism(name: self["mechanism"]!.string!, parameters)
        }
    }
}
