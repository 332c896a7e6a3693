// Prints what the golden cases come out as, a line each: an app for another processor, of Swift's language mode 5.

import Brrkit
import Foundation

/// Random bytes that are given.
final class Given: RandomSource, @unchecked Sendable {
    private var left: ArraySlice<UInt8>

    init(_ digits: Substring) {
        let pairs = Array(digits.utf8).map { UInt8(String(UnicodeScalar($0)), radix: 16)! }
        left = ArraySlice(stride(from: 0, to: pairs.count, by: 2).map { 16 * pairs[$0] + pairs[$0 + 1] })
    }

    func bytes(_ count: Int) throws(BrrError) -> [UInt8] {
        defer { left = left.dropFirst(count) }
        return Array(left.prefix(count))
    }
}

func mechanism(_ name: Substring, _ given: [Substring: Substring]) -> Mechanism {
    let t = given["t"]?.split(separator: ",").map { Double($0)! }
    switch name {
    case "brr": return .brr
    case "exponential":
        return .exponential(
            radius: given["radius"].map { Int($0)! }, base: given["base"].map { Base(rawValue: String($0))! },
            cap: given["cap"].map { Double($0)! }, taskWeight: given["task_weight"].map { Int($0)! })
    default: return t.map { $0.count > 1 ? .vickrey(t: $0) : .vickrey(t: $0[0]) } ?? .vickrey()
    }
}

var bundles: [Substring: WordBundle] = [:]
let cases = try String(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]), encoding: .utf8)
for line in cases.split(separator: "\n") {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    let folder = URL(fileURLWithPath: String(fields[0]))
    let bundle = try bundles[fields[0]] ?? WordBundle(contentsOf: folder)
    bundles[fields[0]] = bundle
    let pairs = fields[3].split(separator: ";").map { $0.split(separator: "=") }
    let given = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    let setting = Setting(epsilon: Double(fields[1])!, mechanism: mechanism(fields[2], given))
    let privatizer = try Privatizer(bundle, setting: setting, random: Given(fields[4]))
    print(try privatizer.words(fields[5].split(separator: " ").map(String.init)).joined(separator: " "))
}
