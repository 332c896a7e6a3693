internal import BrrkitC

/// The mapped codes of a vocabulary, by id.
struct Codes: Sendable {
    let content: MappedBytes
    let bits: Int

    /// Number of codes; 0 for a list.
    var count: Int { bits == 0 ? 0 : content.count / (bits / 8) }

    /// The code of the word with this id: bit j is bit j mod 64 of number j div 64.
    subscript(id: Int) -> [UInt64] {
        content.withUnsafeBytes { bytes in
            let numbers = bits / 64
            return (0..<numbers).map { i in
                UInt64(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: 8 * (numbers * id + i), as: UInt64.self))
            }
        }
    }
}

/// A code found by a search.
package struct Match: Hashable, Sendable {
    let id: Int
    /// Number of bits in which its code differs.
    let distance: Int
}

/// Exact Hamming search over the mapped codes. A scan allocates only its result.
package struct HammingIndex: Sendable {
    let codes: Codes

    /// Number of task bits at the end of a code, and the weight of a differing one.
    var taskBits = 0
    var taskWeight = 1

    /// What no distance exceeds.
    var mostDistance: Int { codes.bits - taskBits + taskWeight * taskBits }

    /// Returns the `k` codes nearest to `query`, the nearest first; ties go to the lower rank.
    package func nearest(_ query: [UInt64], _ k: Int) -> [Match] {
        var found = [Match]()
        found.reserveCapacity(k + 1)
        var farthest = Int.max  // of the k
        scan(query) { start, distances, least in
            if Int(least) >= farthest { return true }
            for i in 0..<distances.count where Int(distances[i]) < farthest {
                let distance = Int(distances[i])
                // Ids ascend, so among equals, the earlier one stays first.
                let place = found.lastIndex { $0.distance <= distance }.map { $0 + 1 } ?? 0
                found.insert(Match(id: start + i, distance: distance), at: place)
                if found.count > k { found.removeLast() }
                if found.count == k { farthest = found[k - 1].distance }
            }
            return true
        }
        return found
    }

    /// Number of codes per step. Their distances stay in the fastest cache.
    private static let step = 1024

    /// Passes the distances of the codes with these ids (by default all) to `take`, in steps, each with its
    /// smallest distance, until `take` returns false.
    @inline(__always)
    func scan(
        _ query: [UInt64], of ids: Range<Int>? = nil,
        _ take: (Int, UnsafeBufferPointer<UInt16>, UInt16) -> Bool
    ) {
        let ids = ids ?? 0..<codes.count
        withCodes(query) { codes in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: HammingIndex.step) { room in
                for start in stride(from: ids.lowerBound, to: ids.upperBound, by: HammingIndex.step)
                {
                    let count = min(HammingIndex.step, ids.upperBound - start)
                    let part = UnsafeMutableBufferPointer(rebasing: room[..<count])
                    var least = UInt16.max
                    brrkit_distances(
                        codes + start * query.count, count, query, query.count, taskBits / 64,
                        UInt16(taskWeight), part.baseAddress!, &least)
                    if !take(start, UnsafeBufferPointer(part), least) { return }
                }
            }
        }
    }

    /// Calls `body` with the numbers of all codes. Each code is as long as `query`.
    @inline(__always)
    func withCodes<Result>(
        _ query: [UInt64], _ body: (UnsafePointer<UInt64>) -> Result
    ) -> Result {
        precondition(query.count == codes.bits / 64)
        return codes.content.withUnsafeBytes { bytes in
            body(bytes.assumingMemoryBound(to: UInt64.self).baseAddress!)
        }
    }
}
