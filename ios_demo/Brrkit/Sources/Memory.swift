import Foundation

/// Protects the stored key of a ``Memory``.
///
/// Without a vault, the file holds the key itself, and only the app can read the file. The demo
/// keyboard's vault keeps the key in the Keychain, and the file holds only its name there.
public protocol KeyVault: Sendable {
    /// Returns 32 to 1,024 bytes to store in place of a new key of 32 bytes.
    func seal(_ key: [UInt8]) throws -> [UInt8]

    /// Returns the key from which `sealed` was made.
    func open(_ sealed: [UInt8]) throws -> [UInt8]
}

/// The key of the running period, in a private file. It gives a word the same first draw again.
///
/// Without a memory, every release of a word is an independent draw, and the privacy losses add up. With
/// it, a pseudo-random function of the word gives the randomness of its first draw, and no word is stored.
/// After the end of the period, the next release replaces the key. Time is measured as for
/// ``PrivacyBudget``. Deleting the file, or restoring an old copy, starts another period: each word gets
/// one more first draw, at the cost of its epsilon. Anyone who has the file can test guesses of released
/// words. Keep it where only the app can read and write, and exclude it from backups. Threads and
/// processes can share it. `spec/state-files.md` specifies the function.
///
/// Proof: `docs/explanation/proofs.md`, "Memory".
public final class Memory: Sendable {
    /// The length of a period in seconds.
    public let period: Double

    /// The key's file; a lock file is next to it.
    public let keyFile: URL

    private let path: String
    private let length: Int64  // milliseconds
    private let vault: (any KeyVault)?
    private let clock: @Sendable () -> Instant

    /// Describes the memory; the first release creates the file.
    ///
    /// - Parameters:
    ///   - period: length of a period in seconds, from 1 to 1e12.
    ///   - keyFile: a file in an existing directory.
    ///   - vault: protects the key in the file.
    ///   - clock: reads the device's clocks; for tests.
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/parameter``: the period is out of range, or
    ///   `keyFile` can't name a file.
    public init(
        period: Double, keyFile: URL, vault: (any KeyVault)? = nil,
        clock: @escaping @Sendable () -> Instant = Instant.now
    ) throws(BrrError) {
        length = try periodLength(period, of: "memory")
        path = try statePath(keyFile, "a memory's keyFile")
        self.period = period
        self.keyFile = keyFile
        self.vault = vault
        self.clock = clock
    }

    /// Returns the running period's key. It is on disk before anything uses it.
    ///
    /// - Throws: ``BrrError`` of kind ``BrrError/Kind/memoryFile``: the file is damaged, or can't be read or
    ///   written. Nothing may be released.
    func key() throws(BrrError) -> MemoryKey {
        let file = try StateFile(path, .memoryFile)
        let now = clock().bounded
        guard let content = try file.read(limit: stateLimit) else {
            return try start(1, Period(startingAt: now), in: file)
        }
        guard let stored = State(parsing: content) else { throw damaged }
        var period = stored.period.at(now)
        if period.elapsed >= length {
            period.elapsed = 0
            return try start(min(stored.number + 1, numberMost), period, in: file)
        }
        if !stored.period.isOf(now) {
            let state = State(number: stored.number, sealed: stored.sealed, period: period)
            try file.replace(state.serialized)
        }
        let secret = try guarded { try vault?.open(stored.sealed) ?? stored.sealed }
        guard secret.count == keySize else { throw damaged }
        return MemoryKey(number: stored.number, secret: secret)
    }

    private func start(
        _ number: Int, _ period: Period, in file: StateFile
    ) throws(BrrError) -> MemoryKey {
        let secret = try SystemRandom().draw(keySize)
        let sealed = try guarded { try vault?.seal(secret) ?? secret }
        guard (keySize...sealedMost).contains(sealed.count) else {
            throw .memoryFile("\(path): its vault gives \(sealed.count) bytes, not 32 to 1,024")
        }
        try file.replace(State(number: number, sealed: sealed, period: period).serialized)
        return MemoryKey(number: number, secret: secret)
    }

    private func guarded(_ action: () throws -> [UInt8]) throws(BrrError) -> [UInt8] {
        do {
            return try action()
        } catch {
            throw .memoryFile(
                "\(path): its vault fails; nothing is released until it works, or the file is removed: "
                    + "each word then gets a new first draw")
        }
    }

    private var damaged: BrrError {
        .memoryFile(
            "\(path): not a memory's key, or damaged; nothing is released until it is restored, or "
                + "removed: each word then gets a new first draw")
    }
}

private let keySize = 32
private let sealedMost = 1_024
private let numberMost = 999_999_999_999_999
private let stateLimit = 4_096  // bytes; the longest state is shorter

/// A period's key, as of its start or of the first look after a restart.
private struct State {
    let number: Int
    let sealed: [UInt8]
    let period: Period

    init(number: Int, sealed: [UInt8], period: Period) {
        (self.number, self.sealed, self.period) = (number, sealed, period)
    }

    /// Reads the only form of a state in a file.
    init?(parsing content: [UInt8]) {
        guard let json = try? JSON(parsing: content),
            let number = json["number"]?.integer, (1...numberMost).contains(number),
            let sealed = json["key"]?.string.flatMap(fromHexadecimal),
            (keySize...sealedMost).contains(sealed.count), let period = Period(json)
        else { return nil }
        self.init(number: number, sealed: sealed, period: period)
        if serialized != content { return nil }
    }

    /// Its only form in a file.
    var serialized: [UInt8] {
        signed(
            "{\"format\": \"brr-memory\", \"format_version\": 1, \"number\": \(number), "
                + "\"key\": \"\(hexadecimal(sealed))\", \(period.fields)")
    }
}

/// The key of a period. It is secret, so no description shows it.
struct MemoryKey: CustomStringConvertible, CustomReflectable {
    /// Number of the period, from 1.
    let number: Int
    let secret: [UInt8]

    init(number: Int, secret: [UInt8]) { (self.number, self.secret) = (number, secret) }

    var description: String { "the key of period \(number)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the first draw of a word.
    ///
    /// - Parameters:
    ///   - unit: ``WordBundle/digest``.
    ///   - setting: the mechanism's setting.
    ///   - word: the typed word of the vocabulary; nil for an unknown word. All unknown words share one draw:
    ///     a separate draw would be the word's pseudonym.
    func draw(_ unit: String, _ setting: MechanismSetting, _ word: String?) -> Draw {
        let fields: [[UInt8]] = [
            Array("brrkit memory".utf8),
            eightBytes(UInt64(number)),
            Array(unit.utf8),
            Array(setting.mechanism.utf8),
            setting.numbers,
            Array((word == nil ? "unknown" : "known").utf8),
            Array((word ?? "").utf8),
        ]
        return Draw(secret, fields.flatMap(field))
    }
}

/// A mechanism's name, and the integers that decide its draws, as bytes: see
/// `spec/state-files.md`.
struct MechanismSetting: Sendable {
    let mechanism: String
    let numbers: [UInt8]
}

/// The first draw of a word in a period: its own random bytes, always the same.
final class Draw: RandomSource, @unchecked Sendable {  // for one call, in one thread
    private let secret: [UInt8]
    private let message: [UInt8]
    private var block: UInt64 = 0
    private var left = [UInt8]()

    init(_ secret: [UInt8], _ message: [UInt8]) { (self.secret, self.message) = (secret, message) }

    func bytes(_ count: Int) -> [UInt8] {
        while left.count < count {
            left += hmac(secret, message + field(eightBytes(block)))
            block += 1
        }
        defer { left.removeFirst(count) }
        return Array(left.prefix(count))
    }
}

/// Returns bytes after their number, so that a sequence of fields is unambiguous.
private func field(_ content: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(content.count).littleEndian, Array.init) + content
}

/// Returns a number as eight bytes, the lowest first.
func eightBytes(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
}
