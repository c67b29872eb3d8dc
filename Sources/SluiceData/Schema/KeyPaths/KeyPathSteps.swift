// What `==` of key paths does not answer. It compares the type first, so `\Vehicle.name` differs from `\Car.name` though both lead to one
// property, and says nothing about the parts of `\Item.list?.title`. The compiler gives a computed property one identifier for all of them,
// which `==` compares too, after the type; it stands in the key path object:
//
//     16 bytes of object header, 8 bytes for Objective-C's string, then the buffer:
//     4 bytes of flags and size (low 24 bits), 4 bytes of padding, then components, each but the last followed by its value's type.
//     A component: 4 bytes of header (bits 24–30 its kind, the rest its payload), then, for a computed property, aligned to 8 bytes:
//     the identifier, the getter, the setter if there is one, and arguments if there are any (size, functions, where it is flagged a second
//     size, the arguments themselves).
//
// Layout: the Swift compiler's documentation of its ABI, page "KeyPaths", and the library that reads it. It is part of the ABI where that
// is frozen, and nothing promises it here: so key paths whose steps are known are read first, and if one is not as expected none is read.

/// One step of a key path.
package enum KeyPathStep: Hashable, Sendable {
    /// A computed property, or one of a class: what the compiler identifies it by, and in which way.
    case property(identifier: UInt, way: UInt32)
    /// A stored property, at its offset in the value or object.
    case field(offset: Int)
    /// `?` before a further step.
    case chain
    /// The optional that `?` makes of the end.
    case wrap
    /// `!`
    case force
}

extension KeyPathStep {
    /// The steps of a key path, the root's first.
    /// - Returns: nil where this program's key paths are not laid out as described above.
    package static func steps(of keyPath: AnyKeyPath) -> [KeyPathStep]? { isLayoutKnown ? read(keyPath) : nil }

    private static let bufferOffset = 24
    private static let componentsOffset = 32

    private static func read(_ keyPath: AnyKeyPath) -> [KeyPathStep]? {
        guard MemoryLayout<Int>.size == 8 else { return nil }
        return withExtendedLifetime(keyPath) {
            let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
            let size = Int(object.load(fromByteOffset: bufferOffset, as: UInt32.self) & 0xFF_FFFF)
            var components = Components(bytes: UnsafeRawBufferPointer(start: object + componentsOffset, count: size))
            return components.steps()
        }
    }

    /// Whether key paths that are known beforehand read as they must.
    private static let isLayoutKnown: Bool = {
        guard let first = read(\Sample.first), let inherited = read(\Inheriting.first), let second = read(\Sample.second),
            let chained = read(\Sample.next?.first), let whole = read(\Sample.self)
        else { return false }
        guard case .property = first.first, case .property = second.first, let next = read(\Sample.next) else { return false }
        return first.count == 1 && first == inherited && first != second && whole.isEmpty && chained == next + [.chain] + first + [.wrap]
    }()

    private class Sample {
        var first: Int {
            get { 0 }
            set {}
        }
        var second: Int { 0 }
        var next: Inheriting? { nil }
    }

    private final class Inheriting: Sample {}
}

/// Walks over components. Every read is checked against the buffer's end; what does not fit makes the whole unreadable.
private struct Components {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func steps() -> [KeyPathStep]? {
        var steps: [KeyPathStep] = []
        while position < bytes.count {
            guard let step = step() else { return nil }
            steps.append(step)
            guard position < bytes.count else { break }
            // The value's type.
            guard align(), take(UInt.self) != nil else { return nil }
        }
        return position == bytes.count ? steps : nil
    }

    private mutating func step() -> KeyPathStep? {
        guard let header = take(UInt32.self) else { return nil }
        let payload = header & 0xFF_FFFF
        switch (header >> 24) & 0x7F {
        case 1, 3: return field(payload)
        case 2: return property(payload)
        case 4:
            switch payload {
            case 0: return .chain
            case 1: return .wrap
            case 2: return .force
            default: return nil
            }
        default: return nil
        }
    }

    private mutating func field(_ payload: UInt32) -> KeyPathStep? {
        let offset = payload & 0x7F_FFFF
        // The greatest offsets say that the offset itself follows, or was never filled in.
        if offset < 0x7F_FFFC { return .field(offset: Int(offset)) }
        guard offset == 0x7F_FFFF, let wide = take(UInt32.self) else { return nil }
        return .field(offset: Int(wide))
    }

    private mutating func property(_ payload: UInt32) -> KeyPathStep? {
        guard align(), let identifier = take(UInt.self), take(UInt.self) != nil else { return nil }
        if payload & 0x40_0000 != 0, take(UInt.self) == nil { return nil }
        if payload & 0x08_0000 != 0 {
            guard let size = take(Int.self), size >= 0, take(UInt.self) != nil else { return nil }
            // Of a property in another module that has type arguments: how much of what follows is not those.
            if payload & 0x10 != 0, take(Int.self) == nil { return nil }
            guard size <= bytes.count - position else { return nil }
            position += size
        }
        return .property(identifier: identifier, way: payload & 0x30_0000)
    }

    private mutating func align() -> Bool {
        position = (position + 7) & ~7
        return position <= bytes.count
    }

    private mutating func take<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        guard bytes.count - position >= MemoryLayout<Value>.size else { return nil }
        defer { position += MemoryLayout<Value>.size }
        return bytes.loadUnaligned(fromByteOffset: position, as: type)
    }
}
