/// An integer without a limit, with only the operations that the exact numbers need.
struct BigUInt: Hashable, Sendable {
    /// The lowest 32 bits first; the last one isn't zero.
    private var limbs: [UInt32]

    private init(limbs: [UInt32]) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
    }

    init(_ value: UInt64) {
        self.init(limbs: [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)])
    }

    var isZero: Bool { limbs.isEmpty }

    /// Number of bits; 0 for 0.
    var bitWidth: Int {
        guard let last = limbs.last else { return 0 }
        return 32 * limbs.count - last.leadingZeroBitCount
    }

    /// The number, if it fits into 64 bits.
    var small: UInt64? {
        guard limbs.count <= 2 else { return nil }
        return limbs.reversed().reduce(0) { $0 << 32 | UInt64($1) }
    }

    /// The number as a double, off by some ulps.
    var approximation: Double {
        limbs.reversed().reduce(0) { $0 * 0x1p32 + Double($1) }
    }

    static func + (a: BigUInt, b: BigUInt) -> BigUInt {
        var sum = [UInt32]()
        sum.reserveCapacity(max(a.limbs.count, b.limbs.count) + 1)
        var carry: UInt64 = 0
        for i in 0..<max(a.limbs.count, b.limbs.count) {
            carry += UInt64(a.limb(i)) + UInt64(b.limb(i))
            sum.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        sum.append(UInt32(carry))
        return BigUInt(limbs: sum)
    }

    /// Subtracts a number that is at most this one.
    static func - (a: BigUInt, b: BigUInt) -> BigUInt {
        precondition(a >= b)
        var difference = a.limbs
        var borrow: UInt64 = 0
        for i in difference.indices {
            let one = UInt64(difference[i]) &- UInt64(b.limb(i)) &- borrow
            difference[i] = UInt32(truncatingIfNeeded: one)
            borrow = one >> 63
        }
        return BigUInt(limbs: difference)
    }

    static func * (a: BigUInt, b: BigUInt) -> BigUInt {
        var product = [UInt32](repeating: 0, count: a.limbs.count + b.limbs.count)
        for (i, x) in a.limbs.enumerated() {
            var carry: UInt64 = 0
            for (j, y) in b.limbs.enumerated() {
                // At most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
                carry += UInt64(x) * UInt64(y) + UInt64(product[i + j])
                product[i + j] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            product[i + b.limbs.count] = UInt32(carry)
        }
        return BigUInt(limbs: product)
    }

    static func << (a: BigUInt, count: Int) -> BigUInt {
        var shifted = [UInt32](repeating: 0, count: count / 32)
        var carry: UInt64 = 0
        for limb in a.limbs {
            carry |= UInt64(limb) << (count % 32)
            shifted.append(UInt32(truncatingIfNeeded: carry))
            carry >>= 32
        }
        shifted.append(UInt32(carry))
        return BigUInt(limbs: shifted)
    }

    static func >> (a: BigUInt, count: Int) -> BigUInt {
        let whole = count / 32
        guard whole < a.limbs.count else { return BigUInt(0) }
        let shifted = (whole..<a.limbs.count).map { i in
            let pair = UInt64(a.limb(i + 1)) << 32 | UInt64(a.limbs[i])
            return UInt32(truncatingIfNeeded: pair >> (count % 32))
        }
        return BigUInt(limbs: shifted)
    }

    /// Divides, rounding down, by a number that isn't zero.
    static func / (a: BigUInt, b: BigUInt) -> BigUInt {
        a.divided(by: b).quotient
    }

    /// Divides, rounding up.
    func dividedUp(by divisor: BigUInt) -> BigUInt {
        let (quotient, remainder) = divided(by: divisor)
        return remainder.isZero ? quotient : quotient + BigUInt(1)
    }

    /// Long division by 32-bit digits (Knuth, The Art of Computer Programming, 4.3.1, algorithm D).
    private func divided(by divisor: BigUInt) -> (quotient: BigUInt, remainder: BigUInt) {
        precondition(!divisor.isZero)
        if self < divisor { return (BigUInt(0), self) }
        if divisor.limbs.count == 1 { return divided(by: divisor.limbs[0]) }
        // Normalized: the divisor's highest bit is 1.
        let shift = divisor.limbs[divisor.limbs.count - 1].leadingZeroBitCount
        let v = (divisor << shift).limbs
        var u = (self << shift).limbs
        while u.count <= limbs.count { u.append(0) }
        var quotient = [UInt32](repeating: 0, count: u.count - v.count)
        for j in quotient.indices.reversed() {
            let digit = BigUInt.digit(of: u, at: j, by: v)
            quotient[j] = BigUInt.subtract(v, times: digit, from: &u, at: j)
        }
        return (BigUInt(limbs: quotient), BigUInt(limbs: u) >> shift)
    }

    private func divided(by divisor: UInt32) -> (quotient: BigUInt, remainder: BigUInt) {
        var quotient = limbs
        var remainder: UInt64 = 0
        for i in limbs.indices.reversed() {
            let part = remainder << 32 | UInt64(limbs[i])
            quotient[i] = UInt32(part / UInt64(divisor))
            remainder = part % UInt64(divisor)
        }
        return (BigUInt(limbs: quotient), BigUInt(remainder))
    }

    /// Estimates a digit of a quotient: exact, or too large by one.
    private static func digit(of u: [UInt32], at j: Int, by v: [UInt32]) -> UInt64 {
        let high = UInt64(v[v.count - 1])
        let next = UInt64(v[v.count - 2])
        let top = UInt64(u[j + v.count]) << 32 | UInt64(u[j + v.count - 1])
        var digit = top / high
        var rest = top % high
        while digit >> 32 > 0 || digit * next > rest << 32 | UInt64(u[j + v.count - 2]) {
            digit -= 1
            rest += high
            if rest >> 32 > 0 { break }
        }
        return digit
    }

    /// Subtracts v times digit, or v times (digit - 1) if that is too much. Returns the factor.
    private static func subtract(
        _ v: [UInt32], times digit: UInt64, from u: inout [UInt32], at j: Int
    ) -> UInt32 {
        var borrow: UInt64 = 0
        for i in v.indices {
            let product = digit * UInt64(v[i]) + borrow
            let low = UInt32(truncatingIfNeeded: product)
            borrow = product >> 32 + (u[j + i] < low ? 1 : 0)
            u[j + i] &-= low
        }
        let tooMuch = UInt64(u[j + v.count]) < borrow
        u[j + v.count] &-= UInt32(truncatingIfNeeded: borrow)
        guard tooMuch else { return UInt32(digit) }
        var carry: UInt64 = 0
        for i in v.indices {
            carry += UInt64(u[j + i]) + UInt64(v[i])
            u[j + i] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        u[j + v.count] &+= UInt32(carry)
        return UInt32(digit - 1)
    }

    private func limb(_ i: Int) -> UInt32 { i < limbs.count ? limbs[i] : 0 }
}

extension BigUInt: Comparable {
    static func < (a: BigUInt, b: BigUInt) -> Bool {
        if a.limbs.count != b.limbs.count { return a.limbs.count < b.limbs.count }
        return a.limbs.reversed().lexicographicallyPrecedes(b.limbs.reversed())
    }
}
