// Spends a budget until it is empty, as another process of the tests: from the end of standard input
// on, a byte on standard output for every release. Exits with 1 if anything else ended it.
//
//     spend FILE LIMIT EPSILON UNIT

import Brrkit
import Foundation

let arguments = CommandLine.arguments
let epsilon = Double(arguments[3])!
let budget = try PrivacyBudget(
    limit: Double(arguments[2])!, period: 24 * 3_600,
    stateFile: URL(fileURLWithPath: arguments[1]))
_ = readLine()
do {
    while true {
        try budget.spend(epsilon, unit: arguments[4])
        FileHandle.standardOutput.write(Data(".".utf8))
    }
} catch {
    exit(try budget.remaining() < epsilon ? 0 : 1)
}
