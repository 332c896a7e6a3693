/// A text isn't in the subset that ``JSON`` accepts.
package struct JSONError: Error {}

/// A value of the JSON subset of `spec/bundle-format.md`, which may be hostile.
///
/// Foundation's parsers accept more, with differences between systems. Those of Swift 6.0 on Linux accept
/// `[1,]`, `{"a": 1, "a": 2}` (`JSONSerialization` the last value, `JSONDecoder` the first, so two readers of
/// a hashed manifest see different contents), keys that only look alike as one, `-0`, a rounded number of 41
/// digits, UTF-16, a byte order mark, and 33 levels.
package enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case string(Text)
    /// A number, as it is written.
    case number(String)
    case array([JSON])
    case object([Text: JSON])

    /// UTF-8. Swift's strings are equal if they look alike; these are equal if their bytes are.
    package struct Text: Hashable, Sendable, ExpressibleByStringLiteral {
        var utf8: [UInt8]

        package init(_ string: String) { utf8 = Array(string.utf8) }
        package init(stringLiteral string: String) { self.init(string) }

        var string: String { String(decoding: utf8, as: UTF8.self) }
    }

    /// Largest depth of nested objects and arrays, including the outermost.
    static let deepest = 32

    /// Largest number of characters of a number, with its sign, point and exponent.
    static let longestNumber = 40

    /// Parses UTF-8. The caller limits the size before it reads the content.
    package init(parsing content: [UInt8]) throws(JSONError) {
        var parser = JSONParser(content)
        self = try parser.parse()
    }

    /// The value of an object's field.
    subscript(name: Text) -> JSON? {
        guard case .object(let fields) = self else { return nil }
        return fields[name]
    }

    /// The elements of an array.
    var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text.string
    }

    /// The number as a double, which is finite.
    var double: Double? {
        guard case .number(let literal) = self else { return nil }
        return Double(literal)
    }

    /// Whether it is a number without fraction and exponent.
    var isInteger: Bool {
        guard case .number(let literal) = self else { return false }
        return !literal.utf8.contains { ".eE".utf8.contains($0) }
    }

    /// The number, if it is a 64-bit integer.
    var integer: Int? {
        guard isInteger, case .number(let literal) = self else { return nil }
        return Int(literal)
    }

    var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }

    /// The fields of an object as Swift's types: dictionaries, arrays, strings, `Bool`, `Int` and `Double`.
    /// Fields with the value null are left out.
    var fields: [String: any Sendable] {
        guard case .object(let fields) = self else { return [:] }
        let pairs = fields.compactMap { name, json in json.value.map { (name.string, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    private var value: (any Sendable)? {
        switch self {
        case .null: return nil
        case .boolean(let value): return value
        case .string(let text): return text.string
        case .number: return integer ?? double
        case .array(let elements): return elements.compactMap(\.value)
        case .object: return fields
        }
    }
}

extension JSON {
    /// The value as JSON, in ASCII.
    package var written: String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return "\(value)"
        case .number(let literal): return literal
        case .string(let text): return JSON.quoted(text.string)
        case .array(let elements): return "[\(elements.map(\.written).joined(separator: ", "))]"
        case .object(let fields):
            let members = fields.map { "\(JSON.quoted($0.key.string)): \($0.value.written)" }
            return "{\(members.sorted().joined(separator: ", "))}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var written = "\""
        for unit in string.utf16 {
            if (0x20..<0x7F).contains(unit) && unit != 0x22 && unit != 0x5C {
                written.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                written += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            }
        }
        return written + "\""
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(JSON.Text(value)) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(
            Dictionary(uniqueKeysWithValues: elements.map { (JSON.Text($0.0), $0.1) }))
    }
    package init(_ number: some Numeric) { self = .number("\(number)") }
    package init(_ string: String) { self = .string(JSON.Text(string)) }
}

private struct JSONParser {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func parse() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        try check(at == bytes.count)
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return try .object(members(depth: depth + 1))
        case UInt8(ascii: "["): return try .array(elements(depth: depth + 1))
        case UInt8(ascii: "\""): return try .string(string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try .number(number())
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Text: JSON] {
        try check(depth <= JSON.deepest)
        var result = [JSON.Text: JSON]()
        at += 1
        skipSpace()
        if take("}") { return result }
        while true {
            skipSpace()
            let key = try string()
            try check(result[key] == nil)
            skipSpace()
            try check(take(":"))
            result[key] = try value(depth: depth)
            skipSpace()
            if take("}") { return result }
            try check(take(","))
        }
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSON] {
        try check(depth <= JSON.deepest)
        var result = [JSON]()
        at += 1
        skipSpace()
        if take("]") { return result }
        while true {
            result.append(try value(depth: depth))
            skipSpace()
            if take("]") { return result }
            try check(take(","))
        }
    }

    private mutating func string() throws(JSONError) -> JSON.Text {
        try check(take("\""))
        var result = JSON.Text("")
        while true {
            let byte = peek()
            if take("\"") { return result }
            if take("\\") {
                result.utf8 += try escaped()
            } else if byte < 0x80 {
                try check(byte >= 0x20)  // and this isn't the end
                result.utf8.append(byte)
                at += 1
            } else {
                result.utf8 += try character()
            }
        }
    }

    /// Reads a character beyond ASCII.
    private mutating func character() throws(JSONError) -> [UInt8] {
        var rest = bytes[at...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        guard case .valid(let encoded) = parser.parseScalar(from: &rest) else { throw JSONError() }
        at += encoded.count
        return Array(encoded)
    }

    private mutating func escaped() throws(JSONError) -> [UInt8] {
        let byte = peek()
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw JSONError()
        }
        var code = try hexadecimal()
        if code >> 10 == 0xD800 >> 10 {
            try check(take("\\") && take("u"))
            let low = try hexadecimal()
            try check(low >> 10 == 0xDC00 >> 10)
            code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
        }
        guard let scalar = Unicode.Scalar(code) else { throw JSONError() }
        return Array(String(scalar).utf8)
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            let byte = peek()
            at += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): code = code << 4 | UInt32(byte & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                code = code << 4 | UInt32(byte & 0xF + 9)
            default: throw JSONError()
            }
        }
        return code
    }

    private mutating func number() throws(JSONError) -> String {
        let start = at
        _ = take("-")
        let isZero = take("0")
        if !isZero { try check(digits() > 0) }
        let whole = at
        if take(".") { try check(digits() > 0) }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try check(digits() > 0)
        }
        let literal = String(decoding: bytes[start..<at], as: UTF8.self)
        try check(at - start <= JSON.longestNumber && literal != "-0")
        if at > whole { try check(Double(literal)?.isFinite == true) }
        return literal
    }

    private mutating func digits() -> Int {
        let start = at
        while peek() >= UInt8(ascii: "0"), peek() <= UInt8(ascii: "9") { at += 1 }
        return at - start
    }

    private mutating func word(_ name: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for i in 0..<name.utf8CodeUnitCount {
            try check(peek() == name.utf8Start[i])
            at += 1
        }
        return value
    }

    private mutating func skipSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(peek()) { at += 1 }
    }

    /// Skips a character if it is the next one.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    /// Returns the next byte; at the end, 0, which JSON never contains.
    private func peek() -> UInt8 { at < bytes.count ? bytes[at] : 0 }

    private func check(_ valid: Bool) throws(JSONError) {
        if !valid { throw JSONError() }
    }
}
