// Foundation's comparators for localized text are missing on Linux. These stand in for them, under the names that sources use:
// `SortDescriptor(\Note.title, comparator: .localizedStandard)`.

public import Foundation

/// Compares texts as people sort them: without regard to case and accents at first, and by the text itself where nothing else differs.
///
/// The order is that of the root locale in every process, in memory as in a store.
public struct LocalizedStringComparator: SortComparator {
    /// Forward or reverse.
    public var order: SortOrder
    let textOrder: TextOrder

    init(_ textOrder: TextOrder, order: SortOrder = .forward) {
        self.textOrder = textOrder
        self.order = order
    }

    /// Numbers inside texts count by their size: "Chapter 9" comes before "Chapter 10".
    public static let localizedStandard = LocalizedStringComparator(.standard)
    /// Digits count one by one.
    public static let localized = LocalizedStringComparator(.plain)

    /// How two texts are ordered, `order` included.
    public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
        let (left, right) = (textOrder.key(of: lhs), textOrder.key(of: rhs))
        guard left != right else { return .orderedSame }
        return (left < right) == (order == .forward) ? .orderedAscending : .orderedDescending
    }
}

extension SortComparator where Self == LocalizedStringComparator {
    /// As a file manager sorts names: numbers by value, then case and accents.
    public static var localizedStandard: LocalizedStringComparator { .localizedStandard }
    /// By the rules of a language, character by character.
    public static var localized: LocalizedStringComparator { .localized }
}

extension String.StandardComparator {
    /// As a file manager sorts names: numbers by value, then case and accents.
    public static var localizedStandard: LocalizedStringComparator { .localizedStandard }
    /// By the rules of a language, character by character.
    public static var localized: LocalizedStringComparator { .localized }
}

extension SortDescriptor {
    /// Sorts by text as a comparator has it. The comparator's own order is that of the descriptor.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedStringComparator) {
        self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// nil comes first in forward order.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedStringComparator) {
        self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Sorts by text as a comparator has it, in an order of the descriptor's own.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedStringComparator, order: SortOrder) {
        switch comparator.textOrder {
        case .standard: self.init(keyPath.appending(path: \.localizedStandardOrder).sendable, order: order)
        case .plain: self.init(keyPath.appending(path: \.localizedOrder).sendable, order: order)
        }
    }

    /// nil comes first in forward order.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedStringComparator, order: SortOrder) {
        switch comparator.textOrder {
        case .standard: self.init(keyPath.appending(path: \.localizedStandardOrder).sendable, order: order)
        case .plain: self.init(keyPath.appending(path: \.localizedOrder).sendable, order: order)
        }
    }
}

extension String {
    var localizedStandardOrder: TextOrderKey { TextOrder.standard.key(of: self) }
    var localizedOrder: TextOrderKey { TextOrder.plain.key(of: self) }
}

extension String? {
    var localizedStandardOrder: TextOrderKey? { map(TextOrder.standard.key) }
    var localizedOrder: TextOrderKey? { map(TextOrder.plain.key) }
}

extension KeyPath {
    /// Made of two key paths that are: one that is Sendable, and one that captures nothing.
    fileprivate var sendable: any KeyPath<Root, Value> & Sendable {
        // `Sendable` has no representation of its own, so both types are the same reference.
        unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}

extension TextOrder {
    private static let lastSteps: [KeyPathStep: TextOrder] = {
        let paths: [(AnyKeyPath, TextOrder)] = [
            (\String.localizedStandardOrder, .standard), (\String.localizedOrder, .plain),
            (\String?.localizedStandardOrder, .standard), (\String?.localizedOrder, .plain),
        ]
        return Dictionary(
            paths.compactMap { path, order in KeyPathStep.steps(of: path)?.last.map { ($0, order) } }, uniquingKeysWith: { first, _ in first })
    }()

    /// The order at whose key a key path ends; nil for a key path that ends elsewhere.
    init?(atEndOf steps: [KeyPathStep]) {
        guard let order = steps.last.flatMap({ Self.lastSteps[$0] }) else { return nil }
        self = order
    }
}
