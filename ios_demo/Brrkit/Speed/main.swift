// Prints the seconds of processor time that the first opening took, in a process that has just
// started. Then does what benchmarks/languages.py times, when it asks for it: for each name on a line
// of standard input, all words once; it answers with the seconds of this thread's processor time.
//
//     speed BUNDLE COUNT EPSILON

import Brrkit
import Foundation

func seconds(_ action: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
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
let words = (0..<Int(arguments[2])!).map { _ in
    bundle.vocabulary.word(.random(in: 0..<bundle.count))!
}
let queries = words.map { _ in (0..<bundle.bits / 64).map { _ in UInt64.random(in: 0...(.max)) } }
let mechanisms: [Mechanism] = [.brr, .vickrey(), .exponential]
let privatizers = try mechanisms.map { mechanism in
    (mechanism.name, try Privatizer(bundle, epsilon: Double(arguments[3])!, mechanism: mechanism))
}

while let name = readLine() {
    answer(
        try seconds {
            switch name {
            case "open": _ = try WordBundle(contentsOf: folder)
            case "find": for word in words { _ = bundle.vocabulary.find(word) }
            case "search": for query in queries { _ = bundle.index.nearest(query, 1) }
            default:
                let (_, privatizer) = privatizers.first { $0.0 == name }!
                for word in words { _ = try privatizer.word(word) }
            }
        })
}
