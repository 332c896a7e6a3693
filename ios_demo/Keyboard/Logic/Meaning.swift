import Brrkit
import BrrkitKeyboard
import Foundation

/// Describes settings and releases in the language of the interface.
struct Meaning: Sendable {
    let texts: Texts

    init(_ texts: Texts = .system) { self.texts = texts }

    /// The protection of words in a policy's lists; nil without lists.
    func secrets(_ policy: Policy) -> String? {
        let names = policy.lists.map(\.name)
        return names.isEmpty ? nil : texts.text("secrets", names.joined(separator: ", "))
    }

    /// The text of the strip: the newest sent words, or the reason why there are none.
    func strip(_ releases: [Release], isPrivate: Bool, isOn: Bool) -> String {
        if !isOn { return texts.text("brr_off") }
        if isPrivate { return texts.text("brr_private_field") }
        switch releases.last?.text {
        case nil, .noSink, .off: return texts.text("brr_nothing_yet")
        case .leftOut: return texts.text("brr_left_out")
        case .budgetUsedUp: return texts.text("brr_budget_used_up")
        case .unavailable: return texts.text("brr_not_ready")
        case .sent:
            let sent = releases.suffix(12).flatMap { release in
                if case .sent(let words) = release.text { return words }
                return []
            }
            return sent.joined(separator: " ")
        }
    }

    /// The description of a strength, with one fact per line: the share of unchanged words, the attack
    /// success and the attacker, or a note that it wasn't measured; and whether it is recommended.
    func protection(_ offer: Offer) -> String {
        let own = offer.strength == .recommended ? [texts.text("strength_recommended")] : []
        guard let measured = offer.measured else {
            return ([texts.text("strength_unknown")] + own).joined(separator: "\n")
        }
        let attack = measured.over == "content" ? "strength_attack_content" : "strength_attack"
        let all = measured.allWords
        let found: [(String, Estimate?)] = [
            (attack, measured.attackSuccess), ("strength_attack", all?.attackSuccess),
            ("strength_worst", measured.worst),
        ]
        let facts =
            [("strength_unchanged", about(all?.unchanged ?? measured.unchanged))]
            + found.compactMap { name, share in share.map { (name, most($0)) } }
        let who = texts.text(attackers[measured.attacker] ?? "attacker_other")
        return (facts.map { texts.text("fact", texts.text($0.0), $0.1) } + [who] + own)
            .joined(separator: "\n")
    }

    /// The chosen strength, and its description.
    func place(_ place: Int, of offers: [Offer]) -> String {
        texts.text(
            "strength_place", texts.number(place + 1), texts.number(offers.count),
            protection(offers[place]))
    }

    /// The strengths that the app doesn't offer.
    func limit(_ mostAttackSuccess: Double) -> String {
        let most = (100 * mostAttackSuccess + rounding).rounded(.down)
        return texts.text("strength_limit", texts.number(most))
    }

    /// The smallest number of new words that the rest of the budget allows.
    func budgetLeft(_ left: Double, cost: Double) -> String {
        texts.text("budget_left", count: words(left, cost: cost))
    }

    /// The smallest number of new words that a day's budget allows.
    func budgetSize(_ budget: Double, cost: Double) -> String {
        texts.text("budget_size", count: words(budget, cost: cost))
    }

    /// The budget's unit, and the time of its renewal.
    var budget: String { texts.text("budget_note", texts.number(ReleaseSettings.memoryDays)) }

    /// A note that a budget belongs to the language with a BCP 47 tag.
    func languages(_ language: String) -> String {
        let name = Locale(identifier: language).localizedString(forIdentifier: language)
        return texts.text("languages_note", name ?? language)
    }

    /// The memory's effect, and its limits.
    var memory: String { texts.text("memory_note", texts.number(ReleaseSettings.memoryDays)) }

    /// The treatment of unknown words.
    func unknown(_ oov: Oov) -> String {
        switch oov {
        case .random: return texts.text("oov_random")
        case .drop: return texts.text("oov_drop")
        case .error: return texts.text("oov_error")
        }
    }

    /// A mechanism's name, and its description.
    func mechanism(_ mechanism: Mechanism) -> (name: String, note: String?) {
        let key = mechanisms[mechanism.name]!
        return (texts.text(key), texts.text("\(key)_note"))
    }

    /// The measurement of a strength, the words that are more likely to leave, and the limit of the loss
    /// between any two words.
    func details(_ offer: Offer, _ preference: (base: Base, cap: Double?)?) -> String {
        var said = [String]()
        if let measured = offer.measured {
            switch (measured.text, measured.over) {
            case (nil, _): said.append(texts.text("strength_of_words"))
            case (_, "content"): said.append(texts.text("strength_of_content"))
            default: said.append(texts.text("strength_of_texts"))
            }
        }
        if let (base, cap) = preference {
            said.append(texts.text(bases[base]!))
            said.append(
                cap.map {
                    texts.text("cap", texts.number(exp($0).rounded(.up)), texts.number($0))
                } ?? texts.text("no_cap"))
        }
        return said.joined(separator: " ")
    }

    /// The numbers of the budget, per bit and per word.
    func epsilon(_ offer: Offer, cost: Double, left: Double, of budget: Double) -> String {
        texts.text(
            "epsilon", texts.number(offer.epsilon), texts.number(cost), texts.number(left),
            texts.number(budget))
    }

    private func words(_ budget: Double, cost: Double) -> Int {
        Int(((budget + rounding) / cost).rounded(.down))  // 29.7 / 0.3 is 98.99...
    }

    private func about(_ share: Estimate) -> String {
        switch Int((100 * share.value).rounded()) {
        case 0: return texts.text("rate_few")
        case 100: return texts.text("rate_all")
        case let count: return texts.text("rate_about", texts.number(count))
        }
    }

    private func most(_ share: Estimate) -> String {
        // 100 * 0.07 is 7.000000000000001.
        let count = Int((100 * share.high - rounding).rounded(.up))
        return count == 100 ? texts.text("rate_all") : texts.text("rate_most", texts.number(count))
    }
}

private let rounding = 1e-9

private let attackers = [
    "isolated": "attacker_isolated", "frequencies": "attacker_frequencies",
    "sentence": "attacker_sentence", "informed": "attacker_informed",
]

private let bases: [Base: String] = [
    .uniform: "base_uniform", .unigram: "base_unigram", .bigram: "base_bigram",
]

private let mechanisms = [
    "brr": "mechanism_brr", "vickrey": "mechanism_vickrey",
    "exponential": "mechanism_exponential",
]
