import Brrkit
import BrrkitKeyboard
import Foundation
import Testing

@testable import DemoKeyboard

/// What is said, in all languages.
struct MeaningTests {
    private static let languages = ["en", "de", "es", "fr", "pt"].map { Texts(language: $0) }
    private let bundle = Bundles.isolated
    private let english = Meaning(Texts(language: "en"))
    private let german = Meaning(Texts(language: "de"))

    @Test func aStrengthIsSaidInPeoplesNumbers() throws {
        let measured = try #require(bundle.recommended?.measured)
        let unchanged = Int((100 * measured.unchanged.value).rounded())
        let worst = Int((100 * measured.worst!.high).rounded(.up))
        #expect(
            english.protection(bundle.offer(.recommended)).components(separatedBy: "\n") == [
                "Words that leave unchanged: about \(unchanged) in 100.",
                "Words recovered by an attacker who reads what leaves: at most 20 in 100.",
                "Of the least protected words: at most \(worst) in 100.",
                "Such an attacker sees one word, and assumes that all words are equally likely.",
                "This is the recommended protection.",
            ])
        for mechanism in ReleaseSettings.mechanisms {
            for offer in bundle.offers(mechanism) {
                let text = english.protection(offer)
                // For an estimate, the upper bound on any attacker's success.
                let most = Int((100 * offer.measured!.attackSuccess.high - 1e-9).rounded(.up))
                #expect(
                    text.contains(
                        most == 100
                            ? "what leaves: nearly all" : "what leaves: at most \(most) in 100")
                )
                #expect(!text.contains("wasn't measured"))
                let raw = "[0-9][.,][0-9]{3}|attack-success|isolated|ε"
                #expect(text.range(of: raw, options: .regularExpression) == nil)
            }
        }
        let unmeasured = Offer(strength: .recommended, epsilon: 0.8, measured: nil)
        #expect(
            german.protection(unmeasured)
                == "Wie gut das schützt, wurde mit dieser Wortliste nicht "
                + "gemessen.\nDas ist der empfohlene Schutz.")
    }

    @Test func everyAttackerIsNamed() throws {
        for texts in MeaningTests.languages {
            func protection(
                _ attacker: String, over: String = "all", allWords: String = "null"
            ) throws -> [String] {
                let measured = """
                    {"attacker": "\(attacker)", "over": "\(over)", "text": "a.txt",
                    "unchanged": {"value": 0.004, "low": 0, "high": 0.01},
                    "attack_success": {"value": 1, "low": 1, "high": 1}, "worst": null,
                    "all_words": \(allWords)}
                    """
                let bundle = try Bundles.recommending([
                    "measured": try JSONSerialization.jsonObject(with: Data(measured.utf8))
                ])
                return Meaning(texts).protection(bundle.offer(.recommended))
                    .components(separatedBy: "\n")
            }
            let said = try ["isolated", "frequencies", "sentence", "informed", "later"].map {
                try protection($0)
            }
            let ofContent = try protection(
                "sentence", over: "content",
                allWords: """
                    {"unchanged": {"value": 0.36, "low": 0.35, "high": 0.37},
                    "attack_success": {"value": 0.4, "low": 0.39, "high": 0.41}, "worst": null}
                    """)
            #expect(ofContent[0].contains(texts.text("rate_about", "36")), "of all words")
            #expect(ofContent[1].contains(texts.text("strength_attack_content")))
            #expect(ofContent[2].contains(texts.text("strength_attack")))
            #expect(ofContent[2].contains(texts.text("rate_most", "41")))
            #expect(ofContent[3] == said[2][2], "the attacker is the same one")
            #expect(Set(said.map { $0[2] }).count == 5)
            #expect(Set(said.map(\.count)) == [4], "without a number of the least protected ones")
            for lines in said {
                #expect(lines[0].contains(texts.text("rate_few")))
                #expect(lines[1].contains(texts.text("rate_all")))
            }
        }
    }

    @Test func numbersAreThoseOfTheLanguage() {
        let epsilon = 0.807690743092345
        let offer = Offer(strength: .recommended, epsilon: epsilon, measured: nil)
        let said = german.epsilon(offer, cost: 0.5279, left: 999.1923092, of: 1_000)
        #expect(
            said
                == "ε ist 0,81 je Bit. Ein neues Wort kostet 0,53 ε; 999,19 von 1.000 ε sind übrig."
        )
        #expect(Texts(language: "en").number(1_234.5) == "1,234.5")
        // A Swiss device writes German numbers its way, and French ones as France does.
        let swiss = Locale(identifier: "de_CH")
        #expect(Texts(language: "de", device: swiss).locale == swiss)
        #expect(Texts(language: "fr", device: swiss).number(0.25) == "0,25")
    }

    @Test func theBudgetIsSaidInWords() {
        #expect(
            german.budgetLeft(999.1923092, cost: 0.5279)
                == "Reicht jetzt für mindestens 1.892 neue Wörter")
        #expect(english.budgetLeft(29.7, cost: 0.3) == "Enough for at least 99 new words now")
        #expect(english.budgetLeft(0.3, cost: 0.3) == "Enough for at least 1 new word now")
        #expect(english.budgetSize(0.2, cost: 0.3) == "0 new words a day")
        let french = Meaning(Texts(language: "fr"))
        #expect(french.budgetSize(0.2, cost: 0.3) == "0 nouveau mot par jour")
        #expect(french.budgetSize(1_000_000, cost: 1).contains("de nouveaux mots"))
        for texts in MeaningTests.languages {
            #expect(Meaning(texts).budget.contains("\(ReleaseSettings.memoryDays)"))
            #expect(Meaning(texts).memory.contains("\(ReleaseSettings.memoryDays)"))
        }
    }

    @Test func baseAndCapAreSaidInWords() throws {
        let own = try #require(bundle.preference(.recommended))
        #expect(own.base == .unigram && own.cap == 17)
        for cap in [9, 8.5] {
            let other = try Bundles.recommending([
                "mechanism": "exponential", "parameters": ["base": "uniform", "cap": cap],
            ])
            let given = try #require(other.preference(.recommended))
            #expect(given.base == .uniform && given.cap == cap)
        }
        #expect(bundle.preference(.chosen(.brr, epsilon: 1)) == nil)
        // A strength by its number is as the default mechanism is.
        let chosen = try #require(bundle.preference(.chosen(.exponential, epsilon: 1)))
        #expect(chosen.base == .bigram && chosen.cap == nil)
        let poor = try WordBundle(
            contentsOf: Bundles.work.appendingPathComponent("bundles/256"))
        let bigrams = try #require(poor.manifest["bigrams"] as? Int)
        let base = poor.preference(.chosen(.exponential, epsilon: 1))?.base
        #expect(base == (bigrams > 0 ? .bigram : .unigram))
        let offer = Offer(strength: .recommended, epsilon: 1, measured: nil)
        #expect(
            english.details(offer, (base: .unigram, cap: 8.5))
                == "Frequent words are more likely to leave than rare ones. For any two typed words, "
                + "a word that leaves is at most 4,915 times as likely for one as for the other: the "
                + "cap is 8.5.")
        let said = Base.allCases.map { english.details(offer, (base: $0, cap: nil)) }
        #expect(Set(said).count == 3 && said.allSatisfy { $0.hasSuffix(", without a limit.") })
        #expect(english.details(offer, nil).isEmpty)
    }

    @Test func theAppsLimitIsSaid() {
        #expect(english.limit(0.29).contains("more than 29 in 100"))
    }

    @Test func theStripSaysWhatLeavesOrWhyNothingDoes() {
        func strip(_ texts: [Release.Text], isPrivate: Bool = false, isOn: Bool = true) -> String {
            english.strip(
                texts.map { Release(text: $0, report: .noSetting) }, isPrivate: isPrivate,
                isOn: isOn)
        }
        #expect(strip([.sent(["a"]), .leftOut, .sent(["b", "c"])]) == "a b c")
        let said = [
            strip([.sent(["a"])], isOn: false), strip([.sent(["a"])], isPrivate: true),
            strip([]), strip([.leftOut]), strip([.budgetUsedUp]), strip([.unavailable]),
        ]
        #expect(Set(said).count == 6 && said.allSatisfy { $0.hasPrefix("Nothing") })
    }

    @Test func aPrivateFieldIsAnnouncedOnceAndThatWordsLeaveAgain() {
        var notice = FieldNotice()
        let looks = [false, false, true, true, false, true].map {
            notice.look(isPrivate: $0, isOn: true)
        }
        let (closed, open) = (
            "Nothing: this field is private", "Replaced words of this field leave the device"
        )
        #expect(looks == [nil, nil, closed, nil, open, closed])
        #expect(notice.look(isPrivate: false, isOn: false) == nil, "nothing leaves without consent")
    }

    @Test func keysHaveNamesInEveryLanguage() {
        for texts in MeaningTests.languages {
            let names = KeyNames(.off, .newLine, texts)
            for (page, letters) in Page.allCases.map({ ($0, "en") }) + [(Page.letters, "fa")] {
                for key in page.rows(.of(letters), needsNextKeyboard: true).joined() {
                    for action in [key.action] + key.action.choices {
                        guard case .type(let text) = action else { continue }
                        let isLetter = text.first!.isLetter || text.first!.isNumber
                        #expect((names.spoken(action) == text) == isLetter, "\(text)")
                    }
                }
            }
            #expect(KeyNames(.once, .newLine, texts).spoken(.type("é")) != "é")
        }
    }
}
