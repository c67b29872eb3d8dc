/// Short texts and blobs that are bound to a statement, until it is reset. SQLite would make an allocation of its own for each of them.
final class BoundBytes {
    private var bytes: UnsafeMutableRawPointer?
    private var count = 0

    /// Room for the values of a row as most are. What finds none is SQLite's to copy.
    private static let capacity = 1_024

    deinit { bytes?.deallocate() }

    /// Copies bytes to where they stay; nil where there is no room for them, or nothing to copy.
    func keep(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let start = source.baseAddress, source.count <= Self.capacity - count else { return nil }
        let base = bytes ?? UnsafeMutableRawPointer.allocate(byteCount: Self.capacity, alignment: 8)
        bytes = base
        let place = base + count
        place.copyMemory(from: start, byteCount: source.count)
        count += source.count
        return place
    }

    /// Nothing may be bound to the bytes any more.
    func forget() { count = 0 }
}
