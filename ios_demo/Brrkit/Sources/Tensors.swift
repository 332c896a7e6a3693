/// A tensor of an index: its place among the bytes after the header.
private struct Tensor {
    let name: String
    let type: String
    let shape: [Int]
    let size: Int  // bytes
}

private func layout(words count: Int, bits: Int, bigrams: Int, bytesOfWords: Int) -> [Tensor] {
    let blocks = (count + blockSize - 1) / blockSize
    let width = widthOf(count)
    let packed = packedSize(count, width: width)
    let paired = packedSize(bigrams, width: width)
    return [
        Tensor(name: "codes", type: "U64", shape: [count, bits / 64], size: count * bits / 8),
        Tensor(name: "offsets", type: "U32", shape: [blocks + 1], size: 4 * (blocks + 1)),
        Tensor(name: "ids", type: "U8", shape: [packed], size: packed),
        Tensor(name: "positions", type: "U8", shape: [packed], size: packed),
        Tensor(name: "masses", type: "U8", shape: [count], size: count),
        Tensor(name: "before", type: "U8", shape: [paired], size: paired),
        Tensor(name: "after", type: "U8", shape: [paired], size: paired),
        Tensor(name: "gains", type: "U8", shape: [bigrams], size: bigrams),
        Tensor(name: "words", type: "U8", shape: [bytesOfWords], size: bytesOfWords),
    ]
}

/// Returns the beginning of an index: the length of the header, and the header.
private func header(_ tensors: [Tensor]) -> [UInt8] {
    var start = 0
    let entries = tensors.map { tensor in
        let shape = tensor.shape.map(String.init).joined(separator: ",")
        let end = start + tensor.size
        defer { start = end }
        return "\"\(tensor.name)\":{\"dtype\":\"\(tensor.type)\",\"shape\":[\(shape)],"
            + "\"data_offsets\":[\(start),\(end)]}"
    }
    var text = Array("{\(entries.joined(separator: ","))}".utf8)
    while text.count % 8 != 0 { text.append(UInt8(ascii: " ")) }  // the codes are aligned
    return withUnsafeBytes(of: UInt64(text.count).littleEndian, Array.init) + text
}

/// What an index has.
struct IndexContent {
    let codes: Codes
    let vocabulary: Vocabulary
    let masses: Masses
}

/// Returns the mapped codes, words and masses of an index in safetensors' format.
///
/// The manifest and the size of the file determine the header. It is compared, not parsed.
func readIndex(
    _ index: MappedBytes, path: String, words count: Int, bits: Int, bigrams: Int
) throws(BrrError) -> IndexContent {
    // The length of the header and the number of bytes of the words depend on each other, so the stored
    // length determines the header's end.
    let start = 8 + Int(index.uint32(at: 0))
    func tensors(bytesOfWords: Int) -> [Tensor] {
        layout(words: count, bits: bits, bigrams: bigrams, bytesOfWords: bytesOfWords)
    }
    let others = tensors(bytesOfWords: 0).reduce(0) { $0 + $1.size }
    let tensors = tensors(bytesOfWords: max(index.count - start - others, 0))
    let expected = header(tensors)
    let begins = index.withUnsafeBytes { $0.starts(with: expected) }
    guard begins, start == expected.count,
        index.count == start + tensors.reduce(0, { $0 + $1.size })
    else {
        let names = tensors.map(\.name).joined(separator: ", ")
        throw damaged(
            path,
            "not the tensors \(names) of \(count) words x \(bits) bits and \(bigrams) bigrams")
    }
    var at = start
    var parts = [String: MappedBytes]()
    for tensor in tensors {
        parts[tensor.name] = index.part(at..<at + tensor.size)
        at += tensor.size
    }
    let width = widthOf(count)
    let vocabulary = Vocabulary(
        words: parts["words"]!,
        offsets: parts["offsets"]!,
        ids: PackedNumbers(content: parts["ids"]!, width: width),
        positions: PackedNumbers(content: parts["positions"]!, width: width),
        count: count)
    let masses = Masses(
        words: parts["masses"]!,
        before: PackedNumbers(content: parts["before"]!, width: width),
        after: PackedNumbers(content: parts["after"]!, width: width),
        gains: parts["gains"]!)
    if let damage = vocabulary.damage ?? masses.damage { throw damaged(path, damage) }
    return IndexContent(
        codes: Codes(content: parts["codes"]!, bits: bits), vocabulary: vocabulary, masses: masses)
}
