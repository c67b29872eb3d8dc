// libplist builds a tree: it expands every reference to a shared object again and recurses without a limit. A few hundred
// hostile bytes can ask for billions of nodes. So the object table is walked here first, with memory, and refused where the
// tree would be too large or too deep. Layout (big-endian): "bplist00", objects, offset table, 32-byte trailer with the widths of offsets
// and
// references, the object count, the top object and the table's offset.

import Foundation

/// Walks a binary property list's object table and refuses what would not fit in memory or on the stack.
struct BinaryPropertyListBounds {
    static let nodeCountMax = 2_000_000
    static let levelMax = 64

    private let bytes: [UInt8]
    private var offsetWidth = 0
    private var referenceWidth = 0
    private var objectCount = 0
    private var tableOffset = 0
    /// Per object: nodes of its tree and levels below it.
    private var known: [Int: (nodes: Int, levels: Int)] = [:]

    static func check(_ data: Data) throws(ModelFault) {
        var bounds = BinaryPropertyListBounds(bytes: [UInt8](data))
        try bounds.walk()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func walk() throws(ModelFault) {
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { throw .notPropertyList }
        let trailer = bytes.count - 32
        offsetWidth = Int(bytes[trailer + 6])
        referenceWidth = Int(bytes[trailer + 7])
        objectCount = try integer(at: trailer + 8, width: 8)
        let top = try integer(at: trailer + 16, width: 8)
        tableOffset = try integer(at: trailer + 24, width: 8)
        guard 1...8 ~= offsetWidth, 1...8 ~= referenceWidth, objectCount <= bytes.count else { throw .notPropertyList }
        _ = try measure(top, level: 1)
    }

    private mutating func measure(_ object: Int, level: Int) throws(ModelFault) -> (nodes: Int, levels: Int) {
        guard object < objectCount else { throw .notPropertyList }
        if let measured = known[object] {
            guard level + measured.levels <= Self.levelMax else { throw .tooDeep(levelMax: Self.levelMax) }
            return measured
        }
        guard level <= Self.levelMax else { throw .tooDeep(levelMax: Self.levelMax) }
        var (nodes, levels) = (1, 0)
        for child in try references(of: object) {
            let inner = try measure(child, level: level + 1)
            nodes += inner.nodes
            levels = max(levels, inner.levels + 1)
            guard nodes <= Self.nodeCountMax else { throw .tooManyObjects(countMax: Self.nodeCountMax) }
        }
        known[object] = (nodes, levels)
        return (nodes, levels)
    }

    /// What an array, a set or a dictionary holds; nothing for other objects.
    private func references(of object: Int) throws(ModelFault) -> [Int] {
        var position = try integer(at: tableOffset + object * offsetWidth, width: offsetWidth)
        guard position < bytes.count else { throw .notPropertyList }
        let marker = bytes[position]
        let kind = marker >> 4
        guard kind == 0xA || kind == 0xC || kind == 0xD else { return [] }
        var count = Int(marker & 0x0F)
        position += 1
        if count == 0x0F {
            guard position < bytes.count, bytes[position] >> 4 == 1 else { throw .notPropertyList }
            let width = 1 << Int(bytes[position] & 0x0F)
            guard width <= 8 else { throw .notPropertyList }
            count = try integer(at: position + 1, width: width)
            position += 1 + width
        }
        guard count <= bytes.count else { throw .notPropertyList }
        let referenceCount = kind == 0xD ? count * 2 : count
        guard position + referenceCount * referenceWidth <= bytes.count else { throw .notPropertyList }
        var references: [Int] = []
        references.reserveCapacity(referenceCount)
        for index in 0..<referenceCount {
            references.append(try integer(at: position + index * referenceWidth, width: referenceWidth))
        }
        return references
    }

    private func integer(at position: Int, width: Int) throws(ModelFault) -> Int {
        guard position >= 0, width > 0, position <= bytes.count - width else { throw .notPropertyList }
        let value = bytes[position..<position + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // No offset or count in a file can pass this; it keeps the sums above from overflowing.
        guard value < 1 << 40 else { throw .notPropertyList }
        return Int(value)
    }
}
