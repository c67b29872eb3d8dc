/// Finds the property that a key path leads to.
///
/// `@unchecked Sendable`: nothing is written after `init`, and key paths that `@Model` writes capture nothing.
struct KeyPathPositions: @unchecked Sendable {
    private let exact: [AnyKeyPath: Int]
    private let byStep: [KeyPathStep: Int]

    init(_ properties: [ModelProperty]) {
        exact = Dictionary(properties.map { ($0.keyPath, $0.index) }, uniquingKeysWith: { first, _ in first })
        let steps = properties.compactMap { property in
            KeyPathStep.steps(of: property.keyPath).flatMap { $0.count == 1 ? ($0[0], property.index) : nil }
        }
        byStep = Dictionary(steps, uniquingKeysWith: { first, _ in first })
    }

    /// - Returns: nil where the key path leads to no stored property of the hierarchy.
    func position(of keyPath: AnyKeyPath, among properties: [ModelProperty]) -> Int? {
        if let position = exact[keyPath] { return position }
        // Another spelling of one of them: with a subclass at its root.
        let type = type(of: keyPath)
        guard let root = type.rootType as? AnyClass,
            properties.contains(where: { $0.valueType == type.valueType && Self.areRelated(root, $0.declaringType) }),
            let steps = KeyPathStep.steps(of: keyPath), steps.count == 1
        else { return nil }
        return position(of: steps[0])
    }

    func position(of step: KeyPathStep) -> Int? { byStep[step] }

    private static func areRelated(_ left: AnyClass, _ right: AnyClass) -> Bool {
        inherits(left, from: right) || inherits(right, from: left)
    }

    private static func inherits(_ type: AnyClass, from ancestor: AnyClass) -> Bool {
        var next: AnyClass? = type
        while let current = next {
            if current == ancestor { return true }
            next = _getSuperclass(current)
        }
        return false
    }
}
