// Cuts a JSON export into pieces without holding more than one of them. Two forms are read:
//
// - one document, an object: its members one by one, and of a member that is a list each element by itself;
// - JSON lines: the first object as above, then each further object whole.
//
// A piece is only cut out here, by its brackets and quotes; whoever takes it parses it, strictly.

import Foundation
import SluiceRecords

/// A pass over one staged file.
struct JSONPieces: ~Copyable {
    enum Piece {
        /// A member of the first object, and the text of its value.
        case member(String, Data)
        /// An element of a list that is a member of the first object.
        case element(String, Data)
        /// The end of the first object.
        case end
        /// A further object.
        case line(Data)
    }

    /// Where a piece lies in the file.
    struct Place {
        let offset: Int
        let line: Int
    }

    /// A larger piece is refused: it would have to be held in memory.
    static let byteCountMax = 512 << 20
    static let keyByteCountMax = 4_096

    private let file: OpenFile
    private var buffer: [UInt8] = []
    private var position = 0
    /// Of the buffer's first byte.
    private var bufferOffset = 0
    private var line = 1

    init(reading path: String) throws(ImportError) { file = try OpenFile.reading(path) }

    /// - Throws: `JSONFault`, `ImportError`, and what `body` throws.
    mutating func forEach(_ body: (Piece, Place) throws -> Void) throws {
        if try peek() == 0xEF { for byte in [0xEF, 0xBB, 0xBF] as [UInt8] { try expect(byte, "a UTF-8 text") } }
        try skipSpace()
        try document(body)
        try skipSpace()
        while try peek() != nil {
            let place = self.place
            guard try peek() == UInt8(ascii: "{") else { throw fault("an object was expected") }
            try body(.line(try value()), place)
            try skipSpace()
        }
    }

    private mutating func document(_ body: (Piece, Place) throws -> Void) throws {
        try expect(UInt8(ascii: "{"), "an object was expected at the beginning")
        try skipSpace()
        if try peek() != UInt8(ascii: "}") {
            while true {
                try member(body)
                try skipSpace()
                guard try peek() == UInt8(ascii: ",") else { break }
                advance()
                try skipSpace()
            }
        }
        let place = self.place
        try expect(UInt8(ascii: "}"), "a comma or the end of the object was expected")
        try body(.end, place)
    }

    private mutating func member(_ body: (Piece, Place) throws -> Void) throws {
        guard try peek() == UInt8(ascii: "\"") else { throw fault("a key was expected") }
        let text = try value(byteCountMax: Self.keyByteCountMax)
        guard case .string(let key)? = try? JSONValue(parsing: text) else { throw fault("a key was expected") }
        try skipSpace()
        try expect(UInt8(ascii: ":"), "a colon was expected")
        try skipSpace()
        let place = self.place
        guard try peek() == UInt8(ascii: "[") else { return try body(.member(key, try value()), place) }
        advance()
        try skipSpace()
        if try peek() != UInt8(ascii: "]") {
            while true {
                let place = self.place
                try body(.element(key, try value()), place)
                try skipSpace()
                guard try peek() == UInt8(ascii: ",") else { break }
                advance()
                try skipSpace()
            }
        }
        try expect(UInt8(ascii: "]"), "a comma or the end of the list was expected")
    }

    // MARK: One value

    private mutating func value(byteCountMax: Int = byteCountMax) throws -> Data {
        var text = Data()
        var (depth, isInText, isEscaped) = (0, false, false)
        let begin = line
        while try fill() {
            let start = position
            var isDone = false
            while position < buffer.count, !isDone {
                let byte = buffer[position]
                if isInText {
                    if isEscaped { isEscaped = false } else if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == UInt8(ascii: "\"") {
                        isInText = false
                        isDone = depth == 0
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isInText = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: " "), 0x0A, 0x0D, 0x09:
                        if depth == 0 {
                            guard !text.isEmpty || position > start else { throw fault("a value was expected") }
                            text.append(contentsOf: buffer[start..<position])
                            return text
                        }
                        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                            depth -= 1
                            isDone = depth == 0
                        }
                    default: break
                    }
                }
                if byte == 0x0A { line += 1 }
                position += 1
            }
            text.append(contentsOf: buffer[start..<position])
            guard text.count <= byteCountMax else {
                throw JSONFault(line: begin, detail: "one value is longer than \(byteCountMax) bytes")
            }
            if isDone { return text }
        }
        guard depth == 0, !isInText, !text.isEmpty else { throw JSONFault(line: begin, detail: "the file ends inside a value; it is cut off") }
        return text
    }

    // MARK: Bytes

    private var place: Place { Place(offset: bufferOffset + position, line: line) }

    private func fault(_ detail: String) -> JSONFault { JSONFault(line: line, detail: detail) }

    /// Reads on where the buffer is used up. Returns whether there is another byte.
    private mutating func fill() throws -> Bool {
        if position < buffer.count { return true }
        bufferOffset += buffer.count
        buffer = [UInt8](try file.read(1 << 18, at: bufferOffset))
        position = 0
        return !buffer.isEmpty
    }

    private mutating func peek() throws -> UInt8? { try fill() ? buffer[position] : nil }

    private mutating func advance() {
        if buffer[position] == 0x0A { line += 1 }
        position += 1
    }

    private mutating func expect(_ byte: UInt8, _ expectation: String) throws {
        guard let found = try peek() else { throw fault("the file ends here; it is cut off") }
        guard found == byte else { throw fault(expectation) }
        advance()
    }

    private mutating func skipSpace() throws {
        while let byte = try peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { advance() }
    }
}
