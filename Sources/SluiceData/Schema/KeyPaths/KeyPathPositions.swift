/// Finds the property that a key path leads to.
///
/// `@unchecked Sendable`: nothing is written after `init`, and key paths that `@Model` writes capture nothing.
struct KeyPathPositions: @unchecked Sendable {
    private let exact: [AnyKeyPath: Int]
    private let bySteps: [[KeyPathStep]: Int]

    init(_ properties: [ModelProperty]) {
        exact = Dictionary(properties.map { ($0.keyPath, $0.index) }, uniquingKeysWith: { first, _ in first })
        bySteps = Dictionary(
            properties.compactMap { property in KeyPathStep.steps(of: property.keyPath).map { ($0, property.index) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// - Returns: nil where the key path leads to no stored property of the hierarchy.
    func position(of keyPath: AnyKeyPath, among properties: [ModelProperty]) -> Int? {
        if let position = exact[keyPath] { return position }
        // Another spelling of one of them: with a subclass at its root, or where the setter is not visible.
        let type = type(of: keyPath)
        guard let root = type.rootType as? AnyClass else { return nil }
        let related = properties.filter { $0.valueType == type.valueType && Self.areRelated(root, $0.declaringType) }
        guard !related.isEmpty else { return nil }
        guard let steps = KeyPathStep.steps(of: keyPath) else {
            // Without the steps the type decides, where it can.
            return related.count == 1 ? related[0].index : nil
        }
        return bySteps[steps]
    }

    private static func areRelated(_ left: AnyClass, _ right: AnyClass) -> Bool { inherits(left, from: right) || inherits(right, from: left) }

    private static func inherits(_ type: AnyClass, from ancestor: AnyClass) -> Bool {
        var next: AnyClass? = type
        while let current = next {
            if current == ancestor { return true }
            next = _getSuperclass(current)
        }
        return false
    }
}
