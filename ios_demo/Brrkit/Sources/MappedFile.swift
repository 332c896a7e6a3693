import Foundation

/// A file that is mapped into memory. The mapping ends with the last use.
final class MappedFile: @unchecked Sendable {  // nothing ever changes
    let bytes: UnsafeRawBufferPointer

    /// Maps an opened file; nil if it is empty or can't be mapped.
    init?(_ descriptor: Int32, size: Int) {
        guard size > 0, let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
            start != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count) }
}

/// A part of a mapped file. Nothing outside this part is ever read.
struct MappedBytes: Sendable {
    private let file: MappedFile
    let start: Int
    let count: Int

    init(_ file: MappedFile) {
        self.file = file
        start = 0
        count = file.bytes.count
    }

    private init(_ file: MappedFile, _ start: Int, _ count: Int) {
        self.file = file
        self.start = start
        self.count = count
    }

    /// Returns the part `range` of this one, which contains it.
    func part(_ range: Range<Int>) -> MappedBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return MappedBytes(file, start + range.lowerBound, range.count)
    }

    /// The byte at a place; behind the end, 0.
    subscript(place: Int) -> UInt8 {
        @inline(__always) get {
            place >= 0 && place < count ? file.bytes[start + place] : 0
        }
    }

    /// Returns the four bytes from `place` on as a little-endian number; behind the end, 0.
    @inline(__always)
    func uint32(at place: Int) -> UInt32 {
        guard place >= 0, place <= count - 4 else { return 0 }
        return UInt32(
            littleEndian: file.bytes.loadUnaligned(
                fromByteOffset: start + place, as: UInt32.self))
    }

    /// Calls `body` with all bytes. They keep their place until it returns.
    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(file) {
            body(UnsafeRawBufferPointer(rebasing: file.bytes[start..<start + count]))
        }
    }
}
