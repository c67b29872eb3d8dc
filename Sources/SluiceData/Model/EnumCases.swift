// Cases of an enum, for a property whose value nobody knows. Swift has no such question for an enum that is not CaseIterable, so this asks
// the runtime: a type's metadata leads to a description that counts its cases, and to the function that the compiler itself uses to make a
// value of a case without a payload. Layouts: include/swift/ABI/Metadata.h and ValueWitness.def of the Swift project.

/// Makes enum values that no code names.
enum EnumCases {
    /// The first of the cases without a payload, or one after it; nil where there is none, and for a type that is no enum.
    static func value<Value>(of type: Value.Type, number: Int = 0) -> Value? {
        guard let counts = counts(of: type), counts.empty > number else { return nil }
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let witnesses = (metadata - MemoryLayout<UnsafeRawPointer>.size).load(as: UnsafeRawPointer.self)
        let inject = witnesses.load(fromByteOffset: Layout.injectTag, as: InjectTag.self)
        let size = max(1, MemoryLayout<Value>.stride)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Value>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        // Cases with payloads are numbered first, in the order of the declaration; then those without.
        inject(memory, UInt32(counts.payload + number), metadata)
        return memory.assumingMemoryBound(to: Value.self).move()
    }

    /// How many cases have a payload, and how many have none; nil for a type that is no enum.
    static func counts(of type: any Any.Type) -> (payload: Int, empty: Int)? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: Int.self) == Layout.enumKind else { return nil }
        let description = metadata.load(fromByteOffset: Layout.description, as: UnsafeRawPointer.self)
        let payload = description.load(fromByteOffset: Layout.payloadCaseCount, as: UInt32.self) & Layout.payloadCaseMask
        return (Int(payload), Int(description.load(fromByteOffset: Layout.emptyCaseCount, as: UInt32.self)))
    }

    private typealias InjectTag = @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeRawPointer) -> Void

    /// Offsets in bytes on a 64-bit platform; a test holds them against the toolchain.
    private enum Layout {
        /// Kind of an enum's metadata; `Optional` has one of its own.
        static let enumKind = 0x201
        /// In the metadata, after the kind.
        static let description = 8
        /// In the description, after five words of four bytes. The upper eight bits say something else.
        static let payloadCaseCount = 20
        static let payloadCaseMask: UInt32 = 0xFF_FFFF
        static let emptyCaseCount = 24
        /// In the witnesses, after eight functions, size, stride, flags and two more functions.
        static let injectTag = 104
    }
}
