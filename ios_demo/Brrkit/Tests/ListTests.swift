import Foundation
import Testing

@testable import Brrkit

/// Lists: bundles without codes, whose strings are counted.
struct ListTests {
    @Test func listsCanOnlyBeCounted() throws {
        for (name, bundle) in Work.all where bundle.listOf != nil {
            #expect(bundle.bits == 0 && name.contains("list"))
            let message = "a list has no codes, so its strings can only be counted"
            let isRefused = { (error: any Error) in (error as? BrrError)?.message == message }
            #expect(performing: { try Privatizer(bundle) }, throws: isRefused)
            #expect(
                performing: { try Privatizer(bundle, setting: Setting(epsilon: 1)) },
                throws: isRefused)
            #expect(performing: { try bundle.neighbors(of: "a") }, throws: isRefused)
            let string = bundle.vocabulary.word(1)!
            #expect(Array(bundle.normalize(string).utf8) == Array(string.utf8))
            let reporter = try Reporter(
                Counts(bundle, setting: CountsSetting(cap: 88, wordsADay: 9)))
            try reporter.add(bundle.tokenize(bundle.vocabulary.word(1)!))
            #expect(reporter.sample.words == [bundle.vocabulary.word(1)!])
        }
        #expect(Work.all.values.filter { $0.listOf != nil }.count >= 4)
    }
}
