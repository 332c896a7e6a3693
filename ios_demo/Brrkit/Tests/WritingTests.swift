import Foundation
import Testing

@testable import Brrkit

/// The allowed writing rules in a manifest.
struct WritingTests {
    private let good = Language.french.writing

    private func changed(_ name: JSON.Text, _ value: JSON?) -> Writing? {
        guard case .object(var fields) = good else { return nil }
        fields[name] = value
        return Writing(.object(fields))
    }

    private func repeated(_ count: Int, _ text: String = "x") -> JSON {
        JSON(String(repeating: text, count: count))
    }

    private func numbered(_ count: Int) -> JSON {
        .array((0..<count).map { JSON("x\($0)") })
    }

    private func named(_ count: Int) -> JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: (0..<count).map {
                    (JSON.Text(String(Unicode.Scalar(0x4E00 + $0)!)), JSON("x"))
                }))
    }

    @Test func languagesAreRead() throws {
        for language in Language.all { #expect(Writing(language.writing) != nil) }
        let french = try #require(Writing(good))
        #expect(french.language == "fr" && french.joiners == [0x2D])
        #expect(french.before.count == 8 && french.rewritten.count == 2)
        #expect(Language.chinese.rules.unspaced[1] == 0x4E00...0x9FFF)
        #expect(Language.chinese.rules.replaced == [0x570B: [0x56FD]])
    }

    @Test func whatFitsIsRead() {
        let fitting: [(JSON.Text, JSON)] = [
            ("language", repeated(64)), ("language", " ~"), ("replaced", named(256)),
            ("replaced", ["x": "", "y": "abcd", "\u{10FFFF}": "é\u{301}\u{301}\u{301}"]),
            ("joiners", ["-", "\u{200C}", " "]), ("before", numbered(64)),
            ("before", [repeated(64, "中")]),
            ("endings", numbered(256)), ("shortest_stem", 64), ("spellings", named(4_096)),
            ("spellings", ["x": repeated(64)]), ("longest_run", 0), ("longest_run", 64),
            ("rewritten", [["a", ""], ["a", "b"], ["b", "a"]]),
            ("rewritten", [["\u{E9}", "e\u{301}"]]), ("before", ["\u{E9}", "e\u{301}"]),
            ("unspaced", [[0, 0], [1, 1], [0x2E, 0x10FFFF]]), ("links", ["", "abcd"]),
            ("shortest_part", 1),
        ]
        for (name, value) in fitting { #expect(changed(name, value) != nil, "\(name): \(value)") }
    }

    @Test func aBundleSaysHowItsLanguageIsWritten() throws {
        let crafted = Crafted()
        #expect(try crafted.opened().writing == .english)
        let bundle = try crafted.opened(writing: good.written)
        #expect(bundle.writing == Language.french.rules)
        #expect(bundle.tokenize("L’homme d'w0007") == ["l'", "homme", "d'", "w0007"])
        let privatizer = try Privatizer(bundle, setting: Setting(epsilon: 22))
        #expect(try privatizer.text("d'w0007 w0008").split(separator: " ").count == 3)
        do {
            _ = try crafted.opened(writing: "{\"language\": \"fr\"}")
            Issue.record("it was opened")
        } catch let error as BrrError {
            #expect(error.message.contains("field 'writing' is missing or wrong"))
        }
    }

    @Test func whereWordsEnd() {
        let (french, chinese) = (Language.french.rules, Language.chinese.rules)
        for text in [" ", "a ", ".", "👍", "\n", "-", "a`.", "\u{1D6DB}"] {
            #expect(Writing.english.finished(text) == text, "\(text)")
        }
        for text in ["", "a", "'", "’", "é", "e\u{301}", "\u{301}", "中", "`", "a´b", "\u{AD}"] {
            #expect(Writing.english.finished(text) == "", "\(text)")
        }
        #expect(french.finished("-") == "" && french.finished("a b-") == "a ")
        #expect(Language.persian.rules.finished("\u{640}\u{200C}") == "")
        #expect(french.joins("l`", "eau") && !french.joins("l``", "eau"))
        #expect(french.joins("peut-", "être") && french.joins("peut", "-être"))
        #expect(!french.joins("peut-", "-être") && !french.joins("peut -", "être"))
        #expect(!french.joins("peut", "-") && !french.joins("", "a") && !french.joins("a", " b"))
        #expect(french.endsInWord("peut-") && !french.endsInWord("-") && !french.endsInWord("a--"))
        #expect(chinese.joins("我", "我") && !chinese.joins("我", "a") && !chinese.joins("a", "我"))
        #expect(chinese.isUnspaced("我国") && !chinese.isUnspaced("我a") && !chinese.isUnspaced(""))
        #expect(
            chinese.endsUnspaced("a我") && !chinese.endsUnspaced("我a") && !chinese.endsUnspaced("我 ")
        )
        #expect(french.hasToken("- l'") && !french.hasToken("- '’ !") && !french.hasToken(""))
    }
}
