import Foundation
import SluiceSchema
import SluiceSQLite

/// The columns of a fetch that names the properties it wants. The others are read when they are asked for.
final class PartialSelection {
    let columns: String
    private let wanted: Set<Int>
    private let table: TableSelection
    private var maps: [ObjectIdentifier: UnsafeMutablePointer<Int32>] = [:]

    /// nil where every property is wanted.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that is no stored property.
    init?<Model>(_ descriptor: FetchDescriptor<Model>, of binding: EntityBinding) throws {
        guard !descriptor.propertiesToFetch.isEmpty else { return nil }
        var wanted: Set<Int> = []
        for keyPath in descriptor.propertiesToFetch {
            guard let property = binding.shape.property(for: keyPath)?.index else { throw SwiftDataError.unknownProperty(keyPath, of: Model.self) }
            if let column = binding.columns[property] { wanted.insert(column) }
        }
        let selection = binding.store.selections[binding.entity.table]
        self.wanted = wanted
        table = selection
        columns = selection.columns(wanted)
    }

    deinit {
        for map in maps.values { map.deallocate() }
    }

    func map(for binding: EntityBinding) -> UnsafePointer<Int32> {
        if let map = maps[ObjectIdentifier(binding)] { return UnsafePointer(map) }
        let map = table.map(binding.columns, among: wanted)
        maps[ObjectIdentifier(binding)] = map
        return UnsafePointer(map)
    }
}
