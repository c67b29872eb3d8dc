// A struct that refuses to be decoded from nothing, or is not decodable at all, is made of its stored properties, each as empty as its
// own type allows. No initialiser of its runs; but it is a value of its type in every field, which is all that reading a property
// promises.

@_spi(Reflection) import Swift

/// Makes struct values field by field.
enum EmptyStruct {
    /// nil where a field's type has no empty form, and for types that are no structs.
    static func value<Value>(of type: Value.Type, depth: Int) -> Value? {
        var fields: [(offset: Int, type: any Any.Type)] = []
        var isPlain = true
        // The runtime calls back for each stored property, in the order of the declaration.
        let isKnown = _forEachField(of: type) { _, offset, fieldType, kind in
            isPlain = isPlain && kind != .unknown
            fields.append((offset, fieldType))
            return true
        }
        guard isKnown, isPlain, isStruct(type) else { return nil }
        let size = max(1, MemoryLayout<Value>.stride)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Value>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        for (place, field) in fields.enumerated() {
            guard initialize(memory + field.offset, field.type, depth: depth) else {
                for done in fields.prefix(place) { deinitialize(memory + done.offset, done.type) }
                return nil
            }
        }
        return memory.assumingMemoryBound(to: Value.self).move()
    }

    private static func isStruct(_ type: any Any.Type) -> Bool {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(as: Int.self) == structKind
    }

    private static let structKind = 0x200

    private static func initialize(_ memory: UnsafeMutableRawPointer, _ type: any Any.Type, depth: Int) -> Bool {
        func put<Field>(_ type: Field.Type) -> Bool {
            guard let value = Fallback.emptiest(of: type, depth: depth) else { return false }
            memory.initializeMemory(as: type, to: value)
            return true
        }
        return _openExistential(type, do: put)
    }

    private static func deinitialize(_ memory: UnsafeMutableRawPointer, _ type: any Any.Type) {
        func take<Field>(_ type: Field.Type) { memory.assumingMemoryBound(to: type).deinitialize(count: 1) }
        _openExistential(type, do: take)
    }
}
