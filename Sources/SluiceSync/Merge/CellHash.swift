import Foundation
import SluiceRecords
import SluiceSchema

extension WireCell {
    /// FNV-1a, 64 bits, over a tag and the value's bytes. It only has to tell an edited value from an untouched one.
    var hash64: UInt64 {
        var hash = FNV1a()
        switch self {
        case .reference(let name):
            hash.add(tag: 1)
            hash.add((name?.text ?? "").utf8)
        case .attribute(let value):
            hash.add(tag: 2)
            hash.add((value.companion ?? "").utf8)
            switch value.value {
            case .string(let text)?: hash.add(tag: 3); hash.add(text.utf8)
            case .int64(let number)?: hash.add(tag: 4); hash.add(UInt64(bitPattern: number))
            case .double(let number)?: hash.add(tag: 5); hash.add(number.bitPattern)
            case .timestamp(let milliseconds)?: hash.add(tag: 6); hash.add(UInt64(bitPattern: milliseconds))
            case .bytes(let bytes)?: hash.add(tag: 7); hash.add(bytes)
            default: hash.add(tag: 0)
            }
        }
        return hash.value
    }
}

private struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(tag: UInt8) { value = (value ^ UInt64(tag)) &* 0x0000_0100_0000_01B3 }

    mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(tag: byte) } }

    mutating func add(_ number: UInt64) { for shift in stride(from: UInt64(0), to: 64, by: 8) { add(tag: UInt8(truncatingIfNeeded: number >> shift)) } }
}
