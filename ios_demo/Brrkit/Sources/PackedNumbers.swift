/// Returns the number of bits of a number below `count`, for 2 <= count <= 2^24.
func widthOf(_ count: Int) -> Int { Int.bitWidth - (count - 1).leadingZeroBitCount }

/// Returns the number of bytes of `count` packed numbers of `width` bits.
///
/// These are three bytes more than the bits need, so that four bytes can be read from the first byte of any
/// number.
func packedSize(_ count: Int, width: Int) -> Int { (count * width + 7) / 8 + 3 }

/// Integers of `width` bits, packed one after the other, and read from the mapped file.
///
/// The bits of number i are those from i * width on. Bit j is bit j mod 8 of byte j div 8, where bit 0 is the
/// least significant, also in the numbers. A width is at most 24, so four bytes always hold one.
struct PackedNumbers: Sendable {
    let content: MappedBytes
    let width: Int

    @inline(__always)
    subscript(position: Int) -> Int {
        let bit = position * width
        return Int(content.uint32(at: bit >> 3) >> UInt32(bit & 7)) & (1 << width - 1)
    }
}
