// Prints the seconds of processor time for the first opening in a new process. Then runs the work that
// benchmarks/languages.py times: for each name on a line of standard input, all words once. Answers with the
// seconds of this thread's processor time, or of wall-clock time. benchmarks/cost.py counts the instructions
// of some of these.
//
//     speed BUNDLE WORDS EPSILON FOLDER      WORDS: a file with a word in each line
//                                            FOLDER: for the states of budgets

import Brrkit
import Foundation

func seconds(
    _ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID, _ action: () throws -> Void
) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try action()
    return now() - start
}

func answer(_ seconds: Double) {
    FileHandle.standardOutput.write(Data("\(seconds)\n".utf8))
}

let arguments = CommandLine.arguments
let folder = URL(fileURLWithPath: arguments[1])
answer(try seconds { _ = try WordBundle(contentsOf: folder) })
let bundle = try WordBundle(contentsOf: folder)
let words = try String(contentsOfFile: arguments[2], encoding: .utf8)
    .split(separator: "\n").map(String.init)
let queries = words.map { _ in (0..<bundle.bits / 64).map { _ in UInt64.random(in: 0...(.max)) } }
let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]
let privatizers = try mechanisms.map { mechanism in
    (
        mechanism.name,
        try Privatizer(
            bundle, setting: Setting(epsilon: Double(arguments[3])!, mechanism: mechanism))
    )
}

let asRecommended = try bundle.recommended.map { _ in try Privatizer(bundle) }

func withBudget(_ name: String) throws -> Privatizer {
    let state = URL(fileURLWithPath: arguments[4]).appendingPathComponent(name)
    try? FileManager.default.removeItem(at: state)
    let budget = try PrivacyBudget(limit: 1e9, period: 1e9, stateFile: state)
    return try Privatizer(
        bundle, setting: Setting(epsilon: Double(arguments[3])!, mechanism: .exponential),
        budget: budget)
}

func release(_ privatizer: Privatizer) throws {
    for word in words { _ = try privatizer.word(word) }
}

/// Returns a quantile of the wall-clock seconds per word of a text.
func typing(_ share: Double) throws -> Double {
    var stream = try withBudget("typing").stream()
    let taken = try words.map { word in
        try seconds(CLOCK_MONOTONIC) { _ = try stream.word(word) }
    }
    return taken.sorted()[Int((share * Double(taken.count)).rounded(.up)) - 1]
}

func named(_ name: String) -> Privatizer { privatizers.first { $0.0 == name }!.1 }

let paid = try withBudget("budget")
while let name = readLine() {
    switch name {
    case "open": answer(try seconds { _ = try WordBundle(contentsOf: folder) })
    case "a text, as recommended": answer(try seconds { _ = try asRecommended!.words(words) })
    case "find": answer(seconds { for word in words { _ = bundle.vocabulary.find(word) } })
    case "search": answer(seconds { for query in queries { _ = bundle.index.nearest(query, 1) } })
    case "exponential, by the clock":
        answer(try seconds(CLOCK_MONOTONIC) { try release(named("exponential")) })
    case "with a budget, by the clock":
        answer(try seconds(CLOCK_MONOTONIC) { try release(paid) })
    case "with a new budget, by the clock":
        let new = try withBudget("new")
        answer(try seconds(CLOCK_MONOTONIC) { try release(new) })
    case "typing, budget on: p50": answer(try typing(0.5))
    case "typing, budget on: p99": answer(try typing(0.99))
    default: answer(try seconds { try release(named(name)) })
    }
}
