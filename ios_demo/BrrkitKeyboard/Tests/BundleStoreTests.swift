import Brrkit
import Foundation
import Testing

@testable import BrrkitKeyboard

/// Changes from one bundle to the next follow the budget's rule.
struct BundleStoreTests {
    private let device = Device()
    private let folder: URL
    private let old = Work.bundle
    private let new: WordBundle
    private let newFolder = Work.folder.appendingPathComponent("bundles/256")

    init() throws {
        folder = try Work.newFolder()
        new = try WordBundle(contentsOf: newFolder)
    }

    private var store: BundleStore { BundleStore(folder: folder.appendingPathComponent("bundles")) }

    private func budget() throws -> PrivacyBudget {
        try PrivacyBudget(
            limit: 100, period: 86_400, stateFile: folder.appendingPathComponent("budget.json")
        ) { [device] in device.now }
    }

    private func opened(_ budget: PrivacyBudget? = nil) throws -> String {
        try store.open(budget) { () throws(BrrError) in old }.digest
    }

    @Test func theOldBundleGoesOnUntilItsPeriodHasEnded() throws {
        #expect(try opened(budget()) == old.digest)
        #expect(try budget().unit() == nil)
        try budget().spend(1, unit: old.digest)
        #expect(try budget().unit() == old.digest)
        try store.install(newFolder, manifestDigest: new.manifestDigest)
        #expect(try opened(budget()) == old.digest)
        device.pass(86_399_000)
        #expect(try opened(budget()) == old.digest)
        device.pass(1_000)
        #expect(try budget().unit() == nil)
        #expect(try opened(budget()) == new.digest)
        try budget().spend(1, unit: new.digest)
        #expect(try opened(budget()) == new.digest)
        #expect(throws: BrrError.self) { try budget().spend(1, unit: old.digest) }
        try store.clear()
        #expect(try opened(budget()) == old.digest)
    }

    @Test func anotherUpdateRemovesTheOneBefore() throws {
        try store.install(newFolder, manifestDigest: new.manifestDigest)
        #expect(try opened() == new.digest)
        let calibrated = Work.folder.appendingPathComponent("calibrated")
        let third = try WordBundle(contentsOf: calibrated)
        try store.install(calibrated, manifestDigest: third.manifestDigest)
        #expect(
            try store.open(nil) { () throws(BrrError) in old }.manifestDigest
                == third.manifestDigest)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("bundles").path)
        #expect(Set(left) == ["lock", "current", third.manifestDigest])
    }

    @Test func anotherOrADamagedBundleIsRefused() throws {
        #expect(throws: BrrError.self) {
            try store.install(newFolder, manifestDigest: old.manifestDigest)
        }
        let damaged = folder.appendingPathComponent("damaged")
        try FileManager.default.copyItem(at: newFolder, to: damaged)
        let index = damaged.appendingPathComponent("index.safetensors")
        var content = try Data(contentsOf: index)
        content[content.count - 1] ^= 1
        try content.write(to: index)
        #expect(throws: BrrError.self) {
            try store.install(damaged, manifestDigest: new.manifestDigest)
        }
        #expect(try opened() == old.digest)
    }

    @Test func whatIsDamagedInTheStoreIsNotUsed() throws {
        try store.install(newFolder, manifestDigest: new.manifestDigest)
        #expect(try opened() == new.digest)
        let place = folder.appendingPathComponent("bundles/\(new.manifestDigest)")
        try Data().write(to: place.appendingPathComponent("index.safetensors"))
        #expect(try opened() == old.digest)
        for (name, content) in [("current", "../../etc"), ("next", "no digest")] {
            try Data(content.utf8).write(
                to: folder.appendingPathComponent("bundles/\(name)"))
            #expect(try opened() == old.digest)
        }
    }

    /// The remains of a crash: an incomplete copy, or an unfinished switch.
    @Test func aCrashLeavesTheOldOrTheNew() throws {
        let bundles = folder.appendingPathComponent("bundles")
        let unfinished = bundles.appendingPathComponent(new.manifestDigest + ".new")
        try FileManager.default.createDirectory(
            at: unfinished, withIntermediateDirectories: true)
        #expect(try opened() == old.digest)
        try store.install(newFolder, manifestDigest: new.manifestDigest)
        // The pointer was written, but the mark of the next bundle wasn't deleted yet.
        try Data(new.manifestDigest.utf8).write(to: bundles.appendingPathComponent("current"))
        #expect(try opened() == new.digest)
        #expect(try opened() == new.digest)
    }

    /// Words have new first draws on the new bundle; the memory's key is the same.
    @Test func theMemorysKeyStays() throws {
        let file = folder.appendingPathComponent("memory.json")
        func word(_ bundle: WordBundle) throws -> String? {
            let memory = try Memory(period: 1e6, keyFile: file)
            return try Privatizer(
                bundle, setting: Setting(epsilon: 1), memory: memory, random: Fixed()
            ).word("the")
        }
        let first = try word(old)
        let state = try Data(contentsOf: file)
        _ = try word(new)
        #expect(try Data(contentsOf: file) == state)
        #expect(try word(old) == first)
    }
}
