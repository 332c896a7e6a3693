import Foundation
import Testing

@testable import Brrkit

/// Runs in a separate process, so no other test's memory counts.
struct MemoryTests {
    /// 50,000 words of 64 bits stay in the file: what is resident beyond it is less than 2 MB.
    @Test func memory() throws {
        _ = try Privatizer(Work.bundles["256"]!, setting: Setting(epsilon: 1)).text(
            "the first use makes what stays")
        let before = try anonymousMemory()
        let bundle = try WordBundle(contentsOf: Work.file("large"))
        let privatizer = try Privatizer(
            bundle, setting: Setting(epsilon: 0.5, mechanism: .exponential))
        for id in 0..<50 { _ = try privatizer.word(bundle.vocabulary.word(id)!) }
        _ = try bundle.neighbors(of: bundle.vocabulary.word(0)!, k: 3)
        let growth = try anonymousMemory() - before
        print("\(bundle.count) words x \(bundle.bits) bits take \(growth) KB beyond the mapping")
        #expect(bundle.count == 50_000 && bundle.bits == 64)
        #expect(growth <= 2_048)
        withExtendedLifetime(privatizer) {}
    }

    private func anonymousMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    }
}
