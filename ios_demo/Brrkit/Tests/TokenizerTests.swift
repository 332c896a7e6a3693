import Foundation
import Testing

@testable import Brrkit

/// Texts of other languages than English, cut by their rules and by words.
struct TokenizerTests {
    private func tokenizer(_ language: Language, _ words: String...) throws -> Tokenizer {
        try Tokenizers.made(language.rules, words)
    }

    /// Strings are equal in Swift when they look alike; what a vocabulary holds is bytes.
    private func expect(
        _ tokens: [String], _ expected: [String], _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            tokens.map { UTF8Text($0.utf8) } == expected.map { UTF8Text($0.utf8) }, "\(tokens)",
            sourceLocation: location)
    }

    @Test func frenchWordsBeforeAnotherOneAreCutOff() throws {
        let french = try tokenizer(.french, "l'", "homme", "aujourd'hui", "peut-être", "œuvre")
        expect(french.cut("L’homme qu'il"), ["l'", "homme", "qu'", "il"])
        expect(french.cut("aujourd'hui l'aujourd’hui"), ["aujourd'hui", "l'", "aujourd'hui"])
        expect(
            french.cut("jusqu'à 'l'homme' l''homme"),
            ["jusqu'", "à", "l'", "homme'", "l'", "'homme"])
        expect(
            french.cut("peut-être -peut--être- l' l'-"), ["peut-être", "peut", "être", "l'", "l'"])
        #expect(
            french.words("l'homme l'oeuvre L'HOMME'") == ["l'", "homme", "l'", nil, "l'", "homme"])
        #expect(try tokenizer(.french, "coeur").words("cœur, CŒUR") == ["coeur", "coeur"])
    }

    @Test func eachWordIsFinishedOnceWhenItIsOver() throws {
        let cases: [(Tokenizer, String, [Int])] = [
            (try Tokenizers.made(.english, ["x"]), "Don`t stop, it's 'rock' now", [0, 1, 2, 3, 4]),
            (try tokenizer(.thai, "ตา", "กลม", "น้ำ"), "ตากลมน้ำ ตา", [0, 3]),
            (try tokenizer(.chinese, "酒店", "很"), "酒店很好，很。酒店", [0, 3, 4]),
            (try tokenizer(.japanese, "東京", "に"), "東京に住む。東京", [0, 3]),
        ]
        for (tokenizer, text, expected) in cases {
            var (rest, released, met) = ("", [String](), [0])
            for letter in text.unicodeScalars {
                rest.unicodeScalars.append(letter)
                let finished = tokenizer.finished(rest)
                released += tokenizer.cut(finished)
                rest.unicodeScalars.removeFirst(finished.unicodeScalars.count)
                if released.count > met.last! { met.append(released.count) }
                expect(released, Array(tokenizer.cut(text).prefix(released.count)))
            }
            #expect(met == expected, "\(text)")
            expect(released + tokenizer.cut(rest), tokenizer.cut(text))
        }
    }

    @Test func turkishHasTwoKindsOfI() throws {
        let turkish = try tokenizer(.turkish, "ışık", "istanbul", "ev")
        expect(turkish.cut("IŞIK İstanbul i\u{307}"), ["ışık", "istanbul", "i\u{307}"])
        #expect(
            turkish.words("IŞIK İSTANBUL'da EVLERDE evde d'a") == [
                "ışık", "istanbul", "ev", "ev", nil,
            ])
        expect(try tokenizer(.german, "ev").cut("IŞIK İ"), ["işik", "i"])
    }

    @Test func persianWordsHaveJoiners() throws {
        let persian = try tokenizer(.persian, "می\u{200C}خواهم", "کتاب")
        expect(
            persian.cut("مي\u{200C}خواهم \u{200C}كت\u{640}اب\u{200C} می\u{200C}\u{200C}خواهم"),
            ["می\u{200C}خواهم", "کتاب", "می", "خواهم"])
        #expect(persian.words("كتاب\u{200C}ها کتابها '\u{200C}'") == ["کتاب", "کتاب"])
    }

    @Test func greekWordsEndInTheirSigma() throws {
        let greek = try tokenizer(.greek, "φως", "σας")
        #expect(greek.words("ΦΩΣ ΣΑΣ, σασ") == ["φως", "σας", "σας"])
        expect(greek.cut("Σ ΑΣ' σσ Σ1 αΣ\u{301} xΣ"), ["σ", "ας'", "σς", "σ1", "ασ\u{301}", "xσ"])
    }

    @Test func germanCompoundsAreTwoWords() throws {
        let german = try Tokenizers.made(
            Language.german.rules, ["haus", "tür", "arbeit", "arbeits", "amt", "samt", "strasse"],
            masses: [9, 9, 9, 8, 9, 8, 9])
        expect(
            german.cut("Haustür 'Haustür' Türhaus's"), ["haus", "tür", "haus", "tür", "türhaus's"])
        expect(
            german.cut("haus haustürhaus hausxtür arbeitarbeit"),
            [
                "haus", "haustürhaus", "hausxtür", "arbeit", "arbeit",
            ])
        // arbeit|s|amt costs less than arbeits|amt and arbeit|samt.
        expect(german.cut("Arbeitsamt"), ["arbeit", "amt"])
        let alike = try tokenizer(.german, "arbeit", "arbeits", "amt", "samt")
        expect(alike.cut("Arbeitsamt"), ["arbeits", "amt"])
        #expect(german.words("Straße") == ["strasse"])
    }

    @Test func scriptsWithoutSpacesAreCutIntoTheMostProbableWords() throws {
        let chinese = try Tokenizers.made(
            Language.chinese.rules, ["中国", "中", "国人", "人", "我", "大学", "学生", "大", "生"],
            masses: [90, 20, 40, 80, 99, 60, 60, 30, 10])
        expect(chinese.cut("我中國人，我"), ["我", "中国", "人", "我"])
        expect(chinese.cut("大学生"), ["大", "学生"])
        expect(chinese.cut("我喜欢iPhone's中国"), ["我", "喜欢", "iphone's", "中国"])
        expect(chinese.cut("喜欢 喜'欢"), ["喜欢", "喜", "欢"])
        let thai = try tokenizer(.thai, "น้ำ", "ตา", "กลม", "ตาก", "ลม")
        // Both cuts cost the same: the last word that begins first is taken.
        expect(thai.cut("ตากลม น้ำน้ำ"), ["ตา", "กลม", "น้ำ", "น้ำ"])
        let japanese = try tokenizer(.japanese, "ガ", "東京")
        expect(japanese.cut("東京カ\u{3099}"), ["東京", "ガ"])
    }

    @Test func whatIsTypedInPartsIsComposed() throws {
        let vietnamese = try tokenizer(.german, "tiếng", "việt", "café")
        #expect(
            vietnamese.words(
                "tie\u{302}\u{301}ng VIE\u{302}\u{323}T vie\u{323}\u{302}t CAFE\u{301}")
                == ["tiếng", "việt", "việt", "café"])
        #expect(
            try tokenizer(.korean, "한국").words(
                "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}은 하\u{11AB}국에서")
                == ["한국", "한국"])
        #expect(try tokenizer(.hindi, "क\u{93C}लम").words("\u{958}लम") == ["क\u{93C}लम"])
        expect(
            try tokenizer(.german, "x").cut("x\u{340}\u{301} \u{344}"),
            ["x\u{300}\u{301}", "\u{308}\u{301}"])
    }

    @Test func aPieceHasThirtyMarks() throws {
        let english = try Tokenizers.made(.english, ["x"])
        let typed = "x" + String(repeating: "\u{301}\u{323}", count: 20)
        let marks = { (mark: String, count: Int) in String(repeating: mark, count: count) }
        let once =
            "x" + marks("\u{323}", 15) + marks("\u{301}", 15) + marks("\u{323}", 5)
            + marks("\u{301}", 5)
        #expect(composed(codePoints(UTF8Text(typed.utf8))) == codePoints(UTF8Text(once.utf8)))
        expect(english.cut(typed), [once])
    }

    /// Foundation on Linux takes these code points for their lowest 16 bits, and composes others so.
    @Test func marksBehindCodePointsBeyondTheFirstPlaneStayThere() throws {
        let english = try Tokenizers.made(.english, ["x"])
        expect(
            english.cut("\u{10046}\u{307} \u{100ea}\u{300}\u{323}"),
            [
                "\u{10046}\u{307}", "\u{100ea}\u{323}\u{300}",
            ])
        expect(english.cut("\u{2F800}\u{301} \u{FACF}"), ["\u{4E3D}\u{301}", "\u{2284A}"])
    }

    @Test func endingsAreTakenOffAgainAndAgain() throws {
        let turkish = try tokenizer(.turkish, "kitap", "p", "kitabı")
        #expect(turkish.words("kitaplarda plar kitapda lar") == ["kitap", nil, "kitap", nil])
        let korean = try tokenizer(.korean, "나", "학교", "학교에")
        #expect(korean.words("난 난은 학교에서 나는") == ["나", "나", "학교", "나"])
        let circle = try tokenizer(.korean, "x")  // each is the other's word
        #expect(circle.words("난 나은") == [nil, nil])
    }

    @Test func noMoreThanEightAreTakenOff() throws {
        let french = try tokenizer(.french, "x")
        expect(
            french.cut(String(repeating: "l'", count: 9) + "a"),
            Array(repeating: "l'", count: 8) + ["l'a"])
        let turkish = try tokenizer(.turkish, "ev")
        let endings = String(repeating: "de", count: 8)
        #expect(turkish.words("ev" + endings + " ev" + endings + "de") == ["ev", nil])
    }

    @Test func longStretchesAreTokensAsTheyStand() throws {
        let word = String(repeating: "b", count: 256)
        let english = try Tokenizers.made(.english, [word, word.replacing("bb", with: "é")])
        #expect(english.words(word + " " + word + "'s") == [word, nil])
        #expect(
            english.words(String(repeating: "É", count: 128)) == [word.replacing("bb", with: "é")])
        let long = "l'" + String(repeating: "é", count: 254)
        let french = try tokenizer(.french, "x")
        expect(french.cut(long), ["l'", String(repeating: "é", count: 254)])
        expect(french.cut(long + "e"), [long + "e"])
    }

    /// A token that was cut is looked up as the same string is when an app gives it.
    @Test func whatIsReadIsLookedUpAsAGivenWordIs() throws {
        let cases = try (0..<2_000).map { _ in try TextCase.random() }
        let sources = cases.map { each in
            Tokenizers.Source(
                writing: each["writing"].map { Writing($0)! } ?? .english,
                words: each["vocabulary"]!.strings.map { $0! })
        }
        var known = 0
        for (each, tokenizer) in zip(cases, try Tokenizers.made(sources)) {
            for token in tokenizer.read(each["text"]!.string!) {
                let given = tokenizer.token(String(decoding: token.text, as: UTF8.self))
                #expect(token.wordID == given.wordID, "\(each.written)")
                if token.wordID != nil { known += 1 }
            }
        }
        #expect(known > 100)  // mostly one to three thousand
    }

    /// So a part of a normalized text needs to be normalized again for its marks and sigmas only.
    @Test func normalizedTextHasNothingToLower() {
        for value in 0..<UInt32(0x11_0000) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let normalized = codePoints(Writing.english.normalize(String(scalar)))
            if normalized.contains(where: { lower($0) != $0 }) { Issue.record("\(value)") }
            // What a letter in lower case composes with others to is in lower case.
            if lower(value) != value {
                let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
                    .first!
                #expect(lower(first.value) != first.value, "\(value)")
            }
        }
    }

    /// The last word that isn't greater, in blocks whose words share bytes.
    @Test func everyBeginningIsFound() throws {
        for _ in 0..<200 {
            let letters = ["a", "b", "é", "中"]
            let words = Set(
                (0..<Int.random(in: 1...120)).map { _ in
                    (0..<Int.random(in: 1...5)).map { _ in letters.randomElement()! }.joined()
                }
            ).shuffled()
            let vocabulary = try Tokenizers.made(.english, words).vocabulary
            for _ in 0..<20 {
                let text = (0..<Int.random(in: 0...7)).map { _ in letters.randomElement()! }
                    .joined()
                var found = [String]()
                vocabulary.eachBeginning(of: UTF8Text(text.utf8)[...]) { length, id in
                    found.append(String(decoding: UTF8Text(text.utf8)[..<length], as: UTF8.self))
                    #expect(words[id] == found.last)
                }
                #expect(
                    found == words.filter(text.hasPrefix).sorted { $0.utf8.count > $1.utf8.count })
                #expect(vocabulary.find(text) == words.firstIndex(of: text))
            }
        }
    }

    /// Text that is made to take long: a hundred thousand code points of every script, without a space or
    /// with one behind each of the longest stretches that are cut.
    @Test(arguments: 0..<Language.all.count)
    func hostileTextsAreCutInTime(_ number: Int) throws {
        let language = Language.all[number]
        let tokenizer = try Tokenizers.made(language.rules, language.words)
        let glued = language.words.joined()
        let separated = language.words.joined(separator: "'")
        for unit in language.words.prefix(2) + language.pieces + [glued, separated, "e\u{301}"] {
            let count = 100_000 / unit.unicodeScalars.count + 1
            let repeated = String(repeating: unit, count: count).unicodeScalars
            for length in [100_000, 256] {
                let stretch = String(repeated.prefix(length))
                let text = String(repeating: stretch + " ", count: 100_000 / length)
                let start = cpuTime()
                _ = tokenizer.read(text)
                #expect(cpuTime() - start < 5, "\(unit), \(length)")
            }
        }
    }

    /// This thread's seconds.
    private func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
