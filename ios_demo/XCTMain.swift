// Runs the tests of all modules on Linux. SwiftPM uses this file because of its name. Otherwise it would
// generate one, from an index of all modules.

import Testing

@main struct XCTMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
