internal import BrrkitC

/// The sums of a measure over the codes at each distance from one code, over all ids and over blocks of ids.
/// To find the word for a number below a sum, only its block is scanned again.
struct Sums {
    /// By distance, from 0 to the largest.
    let ofAll: [Int64]

    /// The sums of each block, by distance, follow those of the previous block.
    fileprivate let ofBlocks: [Int64]
    fileprivate let blockLength: Int
}

/// Number of blocks, if there are many codes.
private let mostBlocks = 16

extension HammingIndex {
    /// Returns the sums of a measure over the codes at each distance from `query`.
    func sums(of measure: Measure, from query: [UInt64]) -> Sums {
        let size = mostDistance + 1
        let room = Int(BRRKIT_SIDES) * size
        let total = codes.count
        // A short block would take less time than its sums.
        let length = max((total + mostBlocks - 1) / mostBlocks, room)
        var blocks = [Int64](repeating: 0, count: (total + length - 1) / length * size)
        withCodes(query) { codes in
            measure.masses.words.withUnsafeBytes { masses in
                withUnsafeTemporaryAllocation(of: Int64.self, capacity: room) { room in
                    blocks.withUnsafeMutableBufferPointer { blocks in
                        for block in 0..<blocks.count / size {
                            let start = block * length
                            brrkit_sums(
                                codes + start * query.count, min(length, total - start), query,
                                query.count, taskBits / 64, UInt16(taskWeight),
                                masses.baseAddress! + start, measure.levels,
                                blocks.baseAddress! + block * size, room.baseAddress!)
                        }
                    }
                }
            }
        }
        var bigrams = measure.bigrams
        measure.eachGain(of: 0..<total, &bigrams) { id, gain in
            scan(query, of: id..<id + 1) { _, distances, _ in
                blocks[id / length * size + Int(distances[0])] += gain
                return true
            }
        }
        var ofAll = [Int64](repeating: 0, count: size)
        for block in stride(from: 0, to: blocks.count, by: size) {
            for distance in 0..<size { ofAll[distance] += blocks[block + distance] }
        }
        return Sums(ofAll: ofAll, ofBlocks: blocks, blockLength: length)
    }

    /// Returns the id of the first code at `distance` from `query` up to which the measure of the codes there
    /// sums to more than `number`.
    ///
    /// - Parameter sums: sums of the measure, by the distance from `query`.
    func id(
        at distance: Int, _ number: Int64, of measure: Measure, from query: [UInt64], _ sums: Sums
    ) -> Int {
        var left = number
        var first = 0
        for sum in stride(from: distance, to: sums.ofBlocks.count, by: sums.ofAll.count) {
            if left < sums.ofBlocks[sum] { break }
            left -= sums.ofBlocks[sum]
            first += sums.blockLength
        }
        var found = -1
        var bigrams = measure.bigrams
        scan(query, of: first..<min(first + sums.blockLength, codes.count)) { start, distances, _ in
            for i in 0..<distances.count where Int(distances[i]) == distance {
                let id = start + i
                left -= measure.levels[Int(measure.masses.words[id])]
                measure.eachGain(of: id..<id + 1, &bigrams) { _, gain in left -= gain }
                if left < 0 {
                    found = id
                    return false
                }
            }
            return true
        }
        return found
    }
}
