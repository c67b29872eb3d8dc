/// The results of a fetch, all in memory or read in batches as they are looked at.
///
/// A collection in batches holds the batch that was looked at last. An element whose row has gone since the fetch has the values that are known.
/// Used where its context is used.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    /// Positions count from 0.
    public typealias Index = Int
    private let source: Source

    private enum Source {
        case elements([Element])
        case batches(Batches)
    }

    init(_ elements: [Element]) { source = .elements(elements) }

    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch source {
        case .elements(let elements): elements.count
        case .batches(let batches): batches.count
        }
    }

    public subscript(position: Int) -> Element {
        precondition(indices.contains(position), "index \(position) of \(count) results")
        switch source {
        case .elements(let elements): return elements[position]
        case .batches(let batches): return batches.element(at: position)
        }
    }

    /// Shared by copies of the collection.
    private final class Batches {
        let count: Int
        private let load: (Int) -> Element
        init(count: Int, load: @escaping (Int) -> Element) {
            self.count = count
            self.load = load
        }
        func element(at position: Int) -> Element { load(position) }
    }
}

extension FetchResultsCollection where Element: PersistentModel {
    init(batches keys: [(key: Int64, binding: EntityBinding)], size: Int, core: ContextCore) {
        var held: (start: Int, models: [any PersistentModel])?
        source = .batches(
            Batches(count: keys.count) { position in
                let start = position / size * size
                if held?.start != start {
                    // What cannot be read now is read row by row below, and a row that is gone reads as defaults.
                    held = (start, (try? core.models(of: Array(keys[start..<Swift.min(start + size, keys.count)]))) ?? [])
                }
                let (key, binding) = keys[position]
                let model = core.registered(key, table: binding.tableID) ?? core.model(for: binding.identifier(of: key))
                // The fetch selected rows of this class, and a row never changes its class.
                return (model as? Element) ?? Element(_$state: _ModelState())
            })
    }
}
