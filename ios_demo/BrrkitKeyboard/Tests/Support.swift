import Brrkit
import Foundation

@testable import BrrkitKeyboard

/// What `tests/ios.sh` prepares.
enum Work {
    static let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["BRR_WORK"]!)
    static let bundleFolder = folder.appendingPathComponent("bundles/64")
    static let bundle = try! WordBundle(contentsOf: bundleFolder)

    /// One of another language.
    static func bundle(in language: String) throws -> WordBundle {
        try WordBundle(contentsOf: folder(of: language))
    }

    static func folder(of language: String) -> URL {
        folder.appendingPathComponent("bundles/writing-\(language)")
    }

    static func newFolder() throws -> URL {
        let made = folder.appendingPathComponent("temporary/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        return made
    }
}

final class Collected: PrivatizedTextSink, @unchecked Sendable {
    var words = [String]()  // written on the bundle's queue, read when that is done
    var sources = Set<ReportSource>()
    func accept(_ words: [String], from source: ReportSource) {
        self.words += words
        sources.insert(source)
    }
}

/// Clocks that tests set.
final class Device: @unchecked Sendable {  // tests set it between releases
    var now = Instant(time: 1_700_000_000_000, uptime: 500_000, boot: "a")
    var date: Date { Date(timeIntervalSince1970: Double(now.time) / 1_000) }

    func pass(_ milliseconds: Int) {
        now.time += milliseconds
        now.uptime += milliseconds
    }
    func pass(days: Int) { pass(days * 86_400_000) }
}

/// The same bytes each time.
final class Fixed: RandomSource, @unchecked Sendable {  // one queue draws from it
    private var state: UInt64 = 1

    func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}

/// Gives one key, whatever it is given.
struct OneKey: KeyVault {
    func seal(_ key: [UInt8]) throws -> [UInt8] { [UInt8](repeating: 7, count: 32) }
    func open(_ sealed: [UInt8]) throws -> [UInt8] { sealed }
}

/// Fails as it is told to.
final class Refusing: KeyVault, @unchecked Sendable {  // one test uses it
    struct Refusal: Error { let isForGood: Bool }
    var refusal: Refusal?
    private(set) var asked = 0

    func seal(_ key: [UInt8]) throws -> [UInt8] { try answer(key.map { $0 ^ 0xFF }) }
    func open(_ sealed: [UInt8]) throws -> [UInt8] { try answer(sealed.map { $0 ^ 0xFF }) }

    private func answer(_ bytes: [UInt8]) throws -> [UInt8] {
        asked += 1
        if let refusal { throw refusal }
        return bytes
    }
}

/// A field of text with a cursor at its end.
@MainActor
final class TextEditor: Editor {
    var before = ""
    var after = ""
    var hasSelection = false
    func insert(_ text: String) { before += text }
    func deleteBackward() { before = String(before.dropLast()) }
}

func released(_ keyboard: BrrKeyboard, _ word: String) async -> Release {
    await withCheckedContinuation { done in
        keyboard.release(word) { done.resume(returning: $0) }
    }
}

/// Returns the options of a keyboard for tests, with nothing of the Keychain's.
func options(
    _ settings: ReleaseSettings, sink: Collected? = nil, memoryDays: Int? = nil,
    vault: (any KeyVault)? = nil, _ device: Device = Device(),
    random: any RandomSource = SystemRandom()
) -> BrrKeyboard.Options {
    var options = BrrKeyboard.Options()
    options.sink = sink
    options.memoryPeriod = memoryDays.map { Double($0) * 86_400 }
    (options.memoryVault, options.outboxVault) = (vault, nil)
    options.settings = { _ in settings }
    options.random = random
    options.clock = { device.now }
    return options
}
