// Spends a budget until it is refused, as another process of the tests: from the end of standard input
// on, a byte on standard output for every release.
//
//     spend FILE LIMIT EPSILON UNIT

import Brrkit
import Foundation

let arguments = CommandLine.arguments
let budget = try PrivacyBudget(
    limit: Double(arguments[2])!, period: 24 * 3_600,
    stateFile: URL(fileURLWithPath: arguments[1]))
_ = readLine()
do {
    while true {
        try budget.spend(Double(arguments[3])!, unit: arguments[4])
        FileHandle.standardOutput.write(Data(".".utf8))
    }
} catch {
    exit(error.kind == .budget ? 0 : 1)
}
