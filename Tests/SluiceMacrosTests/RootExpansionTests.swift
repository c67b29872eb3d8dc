import Testing

/// The whole expansion of a root class, line by line. Indentation and blank lines are the formatter's.
@Suite struct RootExpansionTests {
    private static let source = #"""
        @Model
        public final class Item {
            @Attribute(.unique) public var id: UUID
            var count = 0
            @Relationship(deleteRule: .cascade, inverse: \Child.item) var children: [Child] = []
            @Attribute(.transformable(by: ColorTransformer.self)) var color: Color?
            @Transient var scratch = 1
            #Unique<Item>([\.count])

            init(id: UUID) {
                self.id = id
            }
        }
        """#

    @Test func `a root class expands to accessors, storage, metadata and what the runtime calls`() {
        let expansion = Expansion(of: Self.source)
        #expect(unindented(expansion.text) == unindented(Self.expected))
        #expect(expansion.parses)
        #expect(expansion.findings.isEmpty)
    }

    @Test func `the same source expands to the same text`() {
        #expect(Expansion(of: Self.source).text == Expansion(of: Self.source).text)
    }

    private static let expected = #"""
        public final class Item {
            public var id: UUID {
                @storageRestrictions(accesses: _$backingData, initializes: _id)
                init(initialValue) {
                    _$backingData.id = initialValue
                    _id = _SwiftDataNoType()
                }
                get {
                    _$observationRegistrar.access(self, keyPath: \.id)
                    return _$read(_$backingData.id, at: 0)
                }
                set {
                    _$mutate(\.id) {
                        _$backingData.id = _$assigned(newValue, at: 0)
                    }
                }
            }

            private var _id: _SwiftDataNoType
            var count {
                @storageRestrictions(accesses: _$backingData, initializes: _count)
                init(initialValue) {
                    _$backingData.count = initialValue
                    _count = _SwiftDataNoType()
                }
                get {
                    _$observationRegistrar.access(self, keyPath: \.count)
                    return _$read(_$backingData.count, at: 1)
                }
                set {
                    _$mutate(\.count) {
                        _$backingData.count = _$assigned(newValue, at: 1)
                    }
                }
            }

            private var _count: _SwiftDataNoType = _SwiftDataNoType()
            var children: [Child] {
                @storageRestrictions(accesses: _$backingData, initializes: _children)
                init(initialValue) {
                    _$backingData.children = initialValue
                    _children = _SwiftDataNoType()
                }
                get {
                    _$observationRegistrar.access(self, keyPath: \.children)
                    return _$read(_$backingData.children, at: 2)
                }
                set {
                    _$mutate(\.children) {
                        _$backingData.children = _$assigned(newValue, at: 2)
                    }
                }
            }

            private var _children: _SwiftDataNoType = _SwiftDataNoType()
            var color: Color? {
                @storageRestrictions(accesses: _$backingData, initializes: _color)
                init(initialValue) {
                    _$backingData.color = initialValue
                    _color = _SwiftDataNoType()
                }
                get {
                    _$observationRegistrar.access(self, keyPath: \.color)
                    return _$read(_$backingData.color, at: 3)
                }
                set {
                    _$mutate(\.color) {
                        _$backingData.color = _$assigned(newValue, at: 3)
                    }
                }
            }

            private var _color: _SwiftDataNoType? = _SwiftDataNoType()
            var scratch = 1

            init(id: UUID) {
                self.id = id
            }

            private struct _$Storage: SluiceData._ModelStorage {
                typealias Model = Item
                var _$state: SluiceData._ModelState?
                var id: UUID?
                var count = SluiceData._emptySlot(0)
                var children: [Child]?
                var color: Color??
                init() {
                }
                init(for modelType: Item.Type) {
                }
                mutating func _$decode(_ _$row: SluiceData._RowReader, _ _$base: Int) {
                    _$row.read(&self.id, at: _$base + 0)
                    _$row.read(&self.count, at: _$base + 1)
                    _$row.read(&self.children, at: _$base + 2)
                    _$row.readTransformable(&self.color, at: _$base + 3)
                }
                func _$encode(_ _$row: SluiceData._RowWriter, _ _$base: Int) {
                    _$row.write(self.id, at: _$base + 0)
                    _$row.write(self.count, at: _$base + 1)
                    _$row.write(self.children, at: _$base + 2)
                    _$row.writeTransformable(self.color, at: _$base + 3)
                }
                mutating func _$visit<Visitor: SluiceData._PropertyVisitor>(_ _$visitor: inout Visitor, _ _$base: Int) {
                    _$visitor.visit(&self.id, at: _$base + 0)
                    _$visitor.visit(&self.count, at: _$base + 1)
                    _$visitor.visit(&self.children, at: _$base + 2)
                    _$visitor.visit(&self.color, at: _$base + 3)
                }
            }

            private var _$backingData: _$Storage = _$Storage()

            public var persistentBackingData: any SluiceData.BackingData<Item> {
                get {
                    _$backingData
                }
                set {
                    _$backingData = SluiceData._storage(newValue)
                }
            }

            public static var schemaMetadata: [SluiceData.Schema.PropertyMetadata] {
                [
                    .init(name: "id", keypath: \Item.id, defaultValue: nil, metadata: SluiceData.Schema.Attribute(.unique)),
                    .init(name: "count", keypath: \Item.count, defaultValue: 0, metadata: nil),
                    .init(name: "children", keypath: \Item.children, defaultValue: ([] as [Child]), metadata: \#
        SluiceData.Schema.Relationship(deleteRule: .cascade, inverse: \Child.item)),
                    .init(name: "color", keypath: \Item.color, defaultValue: nil, metadata: \#
        SluiceData.Schema.Attribute(.transformable(by: ColorTransformer.self))),
                    .init(name: "SwiftData.Schema.Unique", keypath: \SluiceData.Schema.encodingVersion, defaultValue: nil, \#
        metadata: SluiceData.Schema.Unique<Item>([\.count])),
                ]
            }

            public static var _$originalName: String? {
                nil
            }

            public init(backingData: any SluiceData.BackingData<Item>) {
                _id = _SwiftDataNoType()
                _$backingData = SluiceData._storage(backingData)
            }

            public init(_$state state: SluiceData._ModelState) {
                _id = _SwiftDataNoType()
                _$backingData = _$Storage()
                _$backingData._$state = state
            }

            public var _$state: SluiceData._ModelState {
                if let state = _$backingData._$state {
                    return state
                }
                return SluiceData._ModelState.of(&_$backingData._$state)
            }

            public var _$observationRegistrar: SluiceData.ObservationRegistrar {
                _$state.registrar
            }

            public func _$decode(_ row: SluiceData._RowReader) {
                _$backingData._$decode(row, 0)
            }

            public func _$encode(_ row: SluiceData._RowWriter) {
                _$backingData._$encode(row, 0)
            }

            public func _$visit<Visitor: SluiceData._PropertyVisitor>(_ visitor: inout Visitor) {
                _$backingData._$visit(&visitor, 0)
            }

            nonisolated func access<Member>(keyPath: KeyPath<Item, Member>) {
                _$observationRegistrar.access(self, keyPath: keyPath)
            }

            nonisolated func withMutation<Member, MutationResult>(
                keyPath: KeyPath<Item, Member>, _ mutation: () throws -> MutationResult
            ) rethrows -> MutationResult {
                try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
            }

            struct _SwiftDataNoType {
            }
        }

        extension Item: nonisolated SluiceData.PersistentModel {
        }

        @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use \#
        Item's persistentModelID instead.")
        extension Item: Sendable {
        }
        """#
}
