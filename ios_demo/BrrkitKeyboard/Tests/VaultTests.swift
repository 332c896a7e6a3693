import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// The treatment of keys if a vault refuses.
struct VaultTests {
    private let vault = Refusing()
    private let key = [UInt8](0..<32)
    private var fallback: FallbackVault {
        FallbackVault(vault) { ($0 as? Refusing.Refusal)?.isForGood == true }
    }

    @Test func aVaultThatWorksKeepsTheKey() throws {
        let sealed = try fallback.seal(key)
        #expect(Array(sealed.dropFirst()) == key.map { $0 ^ 0xFF } && sealed.first == 1)
        #expect(try fallback.open(sealed) == key)
        // It never comes from anywhere else afterwards.
        for isForGood in [true, false] {
            vault.refusal = Refusing.Refusal(isForGood: isForGood)
            #expect(throws: Refusing.Refusal.self) { try fallback.open(sealed) }
        }
    }

    @Test func aLockedVaultGetsNoFallback() throws {
        vault.refusal = Refusing.Refusal(isForGood: false)
        #expect(throws: Refusing.Refusal.self) { try fallback.seal(key) }
    }

    @Test func aVaultThatRefusesForGoodLeavesTheKeyInItsFile() throws {
        vault.refusal = Refusing.Refusal(isForGood: true)
        let sealed = try fallback.seal(key)
        #expect(sealed == [0] + key && (32...1_024).contains(sealed.count))
        vault.refusal = nil
        let asked = vault.asked
        #expect(try fallback.open(sealed) == key && vault.asked == asked)
        #expect(throws: (any Error).self) { try fallback.open([9] + key) }
        #expect(throws: (any Error).self) { try fallback.open([]) }
    }

    @Test func onlySomeAnswersOfTheKeychainAreForGood() {
        func isForGood(_ status: Int32) -> Bool { KeychainVault.Refusal(status: status).isForGood }
        #expect(isForGood(-34018) && isForGood(-25291))
        #expect(!isForGood(-25308) && !isForGood(-25300) && !isForGood(-1))
    }

    /// The memory works in a keyboard whose Keychain refuses, from one process to the next.
    @Test func aMemoryWorksWithTheFallback() throws {
        let file = try Work.newFolder().appendingPathComponent("memory.json")
        func word(_ random: any RandomSource = Fixed()) throws -> String? {
            let memory = try Memory(period: 1e6, keyFile: file, vault: fallback)
            return try Privatizer(
                Work.bundle, setting: Setting(epsilon: 0.5), memory: memory, random: random
            ).word(
                "the")
        }
        vault.refusal = Refusing.Refusal(isForGood: false)
        #expect(throws: BrrError.self) { try word() }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        vault.refusal = Refusing.Refusal(isForGood: true)
        let first = try word()
        vault.refusal = nil
        #expect(try word() == first, "the key is still the file's")
    }
}
