// Spends a budget until it is empty, as another process of the tests. Starts at the end of standard input,
// and writes a byte to standard output for every release. Exits with 1 if it ends for another reason.
//
//     spend FILE LIMIT EPSILON UNIT
//     spend FILE LIMIT EPSILON UNIT fork      it releases four words, forks, and both release three

import Brrkit
import Foundation

let arguments = CommandLine.arguments
let epsilon = Double(arguments[3])!
let budget = try PrivacyBudget(
    limit: Double(arguments[2])!, period: 24 * 3_600,
    stateFile: URL(fileURLWithPath: arguments[1]))

func spend() throws {
    try budget.spend(epsilon, unit: arguments[4])
    FileHandle.standardOutput.write(Data(".".utf8))
}

if arguments.last == "fork" {
    for _ in 0..<4 { try spend() }
    // Swift hides it, but an app's code in other languages may call it.
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> Int32).self)
    let child = fork()
    for _ in 0..<3 { try spend() }
    if child > 0 { waitpid(child, nil, 0) }
    exit(0)
}
_ = readLine()
do {
    while true { try spend() }
} catch let error as BrrError {
    if case .budget = error.kind { exit(0) }
    exit(1)
}
