// Lists and sets that are one field: what either side added is there, what either side took out of the common base is not.
//
// 1. Such a field is one column of canonical JSON (decision 0013), so equal elements are equal bytes, and no element is read: what this reader
//    could not hold exactly, a long number, stays as it is.
// 2. The service's elements come first, in its order, then what was added here, in that order; a list is merged as a set is, and what was added
//    comes once. On every device alike, since the service's value decides.
// 3. No value counts as no elements.

import Foundation
import SluiceRecords

/// Sets of JSON elements.
enum SetMerge {
    /// What becomes of the field; nil where one of the values is no list, and nothing can be made of both.
    static func decision(_ local: WireCell, base: WireCell?, against remote: WireCell) -> FieldDecision? {
        guard let mine = local.elements, let theirs = remote.elements, let before = base.map(\.elements) ?? [] else { return nil }
        if local == remote { return .same }
        if base == remote { return .keepLocal }
        let removed = Set(before).subtracting(mine)
        var seen: Set<Data> = []
        let left = theirs.filter { !removed.contains($0) } + Set(before).filtering(mine, without: Set(theirs)).filter { seen.insert($0).inserted }
        if left == theirs { return .takeRemote }
        return .combine(base: remote, value: .attribute(WireValue(value: .bytes(array(of: left)))))
    }

    private static func array(of elements: [Data]) -> Data {
        Data([UInt8(ascii: "[")]) + Data(elements.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }
}

extension Set<Data> {
    /// Elements that are neither in the base, which this is, nor on the other side.
    fileprivate func filtering(_ elements: [Data], without others: Set<Data>) -> [Data] {
        elements.filter { !contains($0) && !others.contains($0) }
    }
}

extension WireCell {
    /// The elements of the JSON array that the cell holds, each in its bytes; nil where it holds anything else.
    fileprivate var elements: [Data]? {
        guard case .attribute(let wire) = self else { return nil }
        switch wire.value {
        case nil: return wire.companion == nil ? [] : nil
        case .bytes(let bytes)?:
            do throws(WireError) {
                guard case .array = try JSONValue(parsing: bytes) else { return nil }
            } catch { return nil }
            return JSONElements(bytes).all
        default: return nil
        }
    }
}

/// The elements of an array that is known to be well-formed.
private struct JSONElements {
    let all: [Data]

    init(_ bytes: Data) {
        var elements: [Data] = []
        var (depth, isText, isEscaped) = (0, false, false)
        var start = bytes.startIndex
        func end(at index: Data.Index) {
            let element = bytes[start..<index].trimmed
            if !element.isEmpty { elements.append(Data(element)) }
        }
        for (index, byte) in zip(bytes.indices, bytes) {
            if isText {
                if isEscaped { isEscaped = false } else if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == UInt8(ascii: "\"") { isText = false }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { end(at: index) }
            case UInt8(ascii: ",") where depth == 1:
                end(at: index)
                start = index + 1
            default: break
            }
        }
        all = elements
    }
}

extension Data {
    /// Without spaces around it.
    fileprivate var trimmed: Data {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else { return Data() }
        return self[first...last]
    }
}
