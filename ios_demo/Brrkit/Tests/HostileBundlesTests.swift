import Foundation
import Testing

@testable import Brrkit

/// The bundles that the Python runtime's tests open: what it refuses is refused here, for the same
/// file and the same field.
struct HostileBundlesTests {
    private func outcome(_ each: JSON) -> Result<WordBundle, BrrError> {
        let verify = each["verify_hashes"] == .boolean(true)
        return Result { () throws(BrrError) in
            try WordBundle(contentsOf: folder(each), verifyHashes: verify)
        }
    }

    private func folder(_ each: JSON) -> URL { Work.file("hostile/\(each["bundle"]!.string!)") }

    @Test func whatPythonOpensIsOpened() throws {
        let good = try Work.cases("hostile/cases.jsonl").filter { $0["error"] == .null }
        #expect(good.count >= 10)
        for each in good { #expect(try outcome(each).get().count >= 2, "\(each.written)") }
    }

    @Test func whatPythonRefusesIsRefused() throws {
        let hostile = try Work.cases("hostile/cases.jsonl").filter { $0["error"] != .null }
        #expect(hostile.count >= 400)
        for each in hostile {
            guard case .failure(let error) = outcome(each) else {
                Issue.record("opened: \(each.written)")
                continue
            }
            #expect(error.kind == .bundle)
            #expect(error.message.count <= 400 && !error.message.contains("\n"))
            let message = error.message.replacingOccurrences(of: folder(each).path, with: "BUNDLE")
            let expected = each["error"]!.string!
            #expect(file(expected) == file(message), "\(expected)\n\(message)")
            #expect(quoted(expected) == quoted(message), "\(expected)\n\(message)")
        }
    }

    private func file(_ message: String) -> Substring { message.prefix { $0 != ":" } }

    /// Returns the names of fields and tensors in a message.
    private func quoted(_ message: String) -> [Substring] {
        message.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
    }
}
