// Runs the tests of all modules, on Linux. SwiftPM takes it, by this file's name; it would make one
// else, from an index of all modules.

import Testing

@main struct XCTMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
