internal import SwiftSyntax
internal import SwiftSyntaxBuilder

// The nested struct that holds the values, and the variable that holds the struct.

extension ModelExpansion {
    /// The struct's name for the model is `Model`, a word that a property's type may be written with. Such a type gets another name,
    /// outside the struct.
    private static let takenTypeName = "Model"

    /// The same goes for a model that is called so itself.
    private var modelAlias: String { model.name == Self.takenTypeName ? "_$SlotType._$model" : model.name }

    var slotTypes: [DeclSyntax] {
        var aliases = model.name == Self.takenTypeName ? ["typealias _$model = \(model.name)"] : []
        aliases += model.properties.compactMap { property in
            property.type.flatMap { $0.mentions(Self.takenTypeName) ? "typealias \(property.name.text) = \($0.spelledWithoutBang)" : nil }
        }
        return aliases.isEmpty ? [] : ["private enum _$SlotType {\n\(raw: indented(aliases))\n}"]
    }

    /// Private, because slots of private types may be in it.
    var storage: DeclSyntax {
        """
        private struct _$Storage: SluiceData._ModelStorage {
            typealias Model = \(raw: modelAlias)
            var _$state: SluiceData._ModelState?
        \(raw: indented(model.properties.map(slot) + observerFlags.flatMap(declarations)))
            init() {
            }
            init(for modelType: \(raw: model.name).Type) {
            }
            mutating func _$decode(_ _$row: SluiceData._RowReader, _ _$base: Int) {
        \(raw: indented(model.properties.enumerated().map(decoding) + observerFlags.map(noteOfValue), by: 2))
            }
            func _$encode(_ _$row: SluiceData._RowWriter, _ _$base: Int) {
        \(raw: indented(model.properties.enumerated().map(encoding), by: 2))
            }
            mutating func _$visit<Visitor: SluiceData._PropertyVisitor>(_ _$visitor: inout Visitor, _ _$base: Int) {
        \(raw: indented(model.properties.enumerated().map(visiting), by: 2))
            }
        }
        """
    }

    var backingData: DeclSyntax { "private var _$backingData: _$Storage = _$Storage()" }

    private func slot(_ property: PersistedProperty) -> String {
        guard let type = property.type else {
            return "var \(property.name.text) = SluiceData._emptySlot(\(property.defaultValue?.trimmedDescription ?? "()"))"
        }
        if type.mentions(Self.takenTypeName) { return "var \(property.name.text): _$SlotType.\(property.name.text)?" }
        return "var \(property.name.text): \(type.spelledAsOptional)"
    }

    private var observerFlags: [ObserverFlags] {
        model.properties.enumerated().filter(\.element.isObserved).map { ObserverFlags(at: "\($0.offset)") }
    }

    private func declarations(_ flags: ObserverFlags) -> [String] {
        ["var \(flags.isRunning) = false", "var \(flags.wasSet) = false"]
    }

    private func noteOfValue(_ flags: ObserverFlags) -> String { "self.\(flags.wasSet) = true" }

    private func decoding(_ index: Int, _ property: PersistedProperty) -> String {
        "_$row.read\(codingSuffix(property))(&self.\(property.name.text), at: _$base + \(index))"
    }

    private func encoding(_ index: Int, _ property: PersistedProperty) -> String {
        "_$row.write\(codingSuffix(property))(self.\(property.name.text), at: _$base + \(index))"
    }

    private func visiting(_ index: Int, _ property: PersistedProperty) -> String {
        "_$visitor.visit(&self.\(property.name.text), at: _$base + \(index))"
    }

    private func codingSuffix(_ property: PersistedProperty) -> String {
        switch property.coding {
        case .byType: ""
        case .transformable: "Transformable"
        case .codable: "Codable"
        }
    }

    private func indented(_ lines: [String], by levels: Int = 1) -> String {
        lines.map { String(repeating: "    ", count: levels) + $0 }.joined(separator: "\n")
    }
}
