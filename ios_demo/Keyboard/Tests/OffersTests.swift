import Brrkit
import BrrkitKeyboard
import Foundation
import Testing

@testable import DemoKeyboard

/// The strengths to choose from.
struct OffersTests {
    private let bundle = Bundles.isolated
    private var offers: [Offer] { bundle.offers(.exponential) }

    @Test func theRecommendedOneIsAmongThemAndAllAreMeasured() throws {
        #expect(offers.count == 7)
        let own = offers.filter { $0.strength == .recommended }
        #expect(own.map(\.measured) == [bundle.recommended?.measured])
        for mechanism in ReleaseSettings.mechanisms {
            let offers = bundle.offers(mechanism)
            let named = try offers.map { try #require($0.measured).attackSuccess.high }
            #expect(named == named.sorted())
            #expect(offers.count == (mechanism == .exponential ? 7 : 6))
        }
    }

    /// With another radius, a larger epsilon isn't weaker.
    @Test func theirOrderIsThatOfTheAttackers() throws {
        let place = try #require(offers.firstIndex { $0.strength == .recommended })
        #expect(offers[place + 1].epsilon < offers[place].epsilon)
    }

    @Test func anotherMechanismIsNotWeaker() throws {
        for offer in offers {
            for mechanism in [Mechanism.brr, .vickrey()] {
                let others = bundle.offers(mechanism)
                let strength = try #require(
                    bundle.strength(of: mechanism, insteadOf: ReleaseSettings(offer.strength)))
                let place = try #require(others.firstIndex { $0.strength == strength })
                #expect(place == 0 || !others[place].isWeaker(than: offer))
                #expect(place == others.count - 1 || others[place + 1].isWeaker(than: offer))
            }
        }
    }

    @Test func withoutARecommendationItIsOneThatWasMeasured() {
        let bundle = Bundles.plain
        let offer = bundle.offer(bundle.firstStrength())
        #expect(offer.measured != nil && offer.strength != .recommended)
        #expect(abs(offer.epsilon - 20 / bundle.averageDistance!) < 1e-4)
    }

    @Test func whatIsNotMeasuredIsNotSaid() throws {
        for field in ["attack", "utility", "distances"] {
            let bundle = try Bundles.changed("\"\(field)\":", to: "\"other\":")
            let offers = bundle.offers(.exponential)
            #expect(offers.count == 17)
            #expect(offers.map(\.epsilon) == offers.map(\.epsilon).sorted())
            for offer in offers {
                #expect((offer.measured != nil) == (offer.strength == .recommended))
            }
        }
        let bundle = try Bundles.changed("\"measured\":", to: "\"other\":")
        #expect(bundle.offer(.recommended).measured == nil)
    }

    /// A choice made with an earlier bundle stays until the next choice.
    @Test func anEarlierChoiceStays() {
        let earlier = Strength.chosen(.exponential, epsilon: 0.7)
        #expect(bundle.offers(ReleaseSettings(earlier)).count == 8)
        #expect(bundle.offer(earlier).measured == nil)
        #expect(bundle.strength(of: .brr, insteadOf: ReleaseSettings(earlier)) != earlier)
    }

    @Test func aMechanismOfALaterVersionIsNotRecommended() throws {
        let bundle = try Bundles.changed(
            "\"mechanism\": \"exponential\"", to: "\"mechanism\": \"later\""
        )
        #expect(bundle.own == nil && bundle.firstStrength() != .recommended)
        #expect(!bundle.offers(.exponential).contains { $0.strength == .recommended })
    }

    @Test func theAppsLimitIsThatOfTheOffers() throws {
        var limited = ReleaseSettings(.recommended)
        for most in [0.05, 0.2, 0.5, 1] {
            limited.mostAttackSuccess = most
            for mechanism in ReleaseSettings.mechanisms {
                #expect(
                    bundle.offers(mechanism, limited)
                        == bundle.offers(mechanism).filter {
                            $0.measured!.attackSuccess.high <= most
                        })
            }
        }
        // The recommended strength is within the limit, or isn't begun with.
        #expect(bundle.firstStrength(mostAttackSuccess: 0.2) == .recommended)
        let first = bundle.offer(bundle.firstStrength(mostAttackSuccess: 0.1))
        #expect(first.strength != .recommended && first.measured!.attackSuccess.high <= 0.1)
        limited.mostAttackSuccess = 0.1
        let other = try #require(bundle.strength(of: .brr, insteadOf: limited))
        #expect(bundle.offer(other).measured!.attackSuccess.high <= 0.1)
        limited.mostAttackSuccess = 0
        #expect(bundle.strength(of: .brr, insteadOf: limited) == nil)
        // Strengths without measurements aren't offered.
        limited.mostAttackSuccess = 0.9
        let unmeasured = try Bundles.changed("\"attack\":", to: "\"other\":")
        #expect(unmeasured.offers(.brr, limited).isEmpty)
    }
}
