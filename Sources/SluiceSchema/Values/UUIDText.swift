import FoundationEssentials

/// The text of a UUID, and back (RFC 9562, section 4). Foundation goes by way of `sscanf` and `snprintf`, which take longer than everything else
/// that a page of names needs.
enum UUIDText {
    /// nil unless the text is 32 hexadecimal digits of either case, in groups of 8, 4, 4, 4 and 12 with hyphens between.
    static func uuid(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { digits -> UUID? in
            guard digits.count == length else { return nil }
            var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            return withUnsafeMutableBytes(of: &uuid) { fill($0, from: digits) } ? UUID(uuid: uuid) : nil
        }
    }

    /// In upper case.
    static func text(of uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            String(unsafeUninitializedCapacity: length) { digits in
                var place = 0
                for index in bytes.indices {
                    if followsHyphen(index) {
                        digits[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    digits[place] = digit(bytes[index] >> 4)
                    digits[place + 1] = digit(bytes[index] & 0xF)
                    place += 2
                }
                return length
            }
        }
    }

    private static let length = 36

    private static func followsHyphen(_ index: Int) -> Bool { index == 4 || index == 6 || index == 8 || index == 10 }

    private static func fill(_ bytes: UnsafeMutableRawBufferPointer, from digits: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        for index in bytes.indices {
            if followsHyphen(index) {
                guard digits[place] == UInt8(ascii: "-") else { return false }
                place += 1
            }
            let (high, low) = (value(of: digits[place]), value(of: digits[place + 1]))
            guard high | low <= 0xF else { return false }
            bytes[index] = high << 4 | low
            place += 2
        }
        return true
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }

    /// 255 where the byte is no hexadecimal digit.
    private static func value(of digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: 255
        }
    }
}
