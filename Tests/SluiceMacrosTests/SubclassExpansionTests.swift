import Testing

/// The whole expansions of a subclass with an observed property, and of a model actor. Indentation and blank lines are the formatter's.
@Suite struct SubclassExpansionTests {
    private static let car = #"""
        extension SchemaV2 {
            @Model(originalName: "Auto")
            class Car: Vehicle {
                var doors: Int = 4 {
                    willSet {
                        print(newValue)
                    }
                    didSet {
                        if doors > 5 { doors = oldValue }
                    }
                }
            }
        }
        """#

    @Test func `a subclass adds to its superclass, and its setter runs the observers`() {
        let expansion = Expansion(of: Self.car, conformances: [])
        #expect(unindented(expansion.text) == unindented(Self.expandedCar))
        #expect(expansion.parses)
        #expect(expansion.findings.isEmpty)
    }

    @Test func `a model actor gets an executor, a container and an initialiser`() {
        let expansion = Expansion(of: "@ModelActor\nactor Worker {\n}")
        #expect(unindented(expansion.text) == unindented(Self.worker))
    }

    private static let worker = """
        actor Worker {

            nonisolated let modelExecutor: any SluiceData.ModelExecutor

            nonisolated let modelContainer: SluiceData.ModelContainer

            init(modelContainer: SluiceData.ModelContainer) {
                let modelContext = SluiceData.ModelContext(modelContainer)
                self.modelExecutor = SluiceData.DefaultSerialModelExecutor(modelContext: modelContext)
                self.modelContainer = modelContainer
            }
        }

        extension Worker: SluiceData.ModelActor {
        }
        """

    private static let expandedCar = #"""
        extension SchemaV2 {
            class Car: Vehicle {
                var doors: Int {
                    willSet {
                        print(newValue)
                    }
                    didSet {
                        if doors > 5 { doors = oldValue }
                    }
                    @storageRestrictions(accesses: _$backingData, initializes: _doors)
                    init(initialValue) {
                        _$backingData.doors = initialValue
                        _$backingData._$wasSet0 = true
                        _doors = _SwiftDataNoType()
                    }

                    get {
                        _$observationRegistrar.access(self, keyPath: \.doors)
                        return _$read(_$backingData.doors, at: Self._$base + 0)
                    }

                    set {
                        if _$backingData._$isObserving0 || !_$backingData._$wasSet0 {
                            _$backingData._$wasSet0 = true
                            _$mutate(\.doors) {
                                _$backingData.doors = _$assigned(newValue, at: Self._$base + 0)
                            }
                            return
                        }
                        _$backingData._$isObserving0 = true
                        defer {
                            _$backingData._$isObserving0 = false
                        }
                        let _$oldValue = _$read(_$backingData.doors, at: Self._$base + 0)
                        ({ () -> Void in
                            print(newValue)
                        })()
                        _$mutate(\.doors) {
                            _$backingData.doors = _$assigned(newValue, at: Self._$base + 0)
                        }
                        ({ () -> Void in
                            let oldValue = _$oldValue
                            if self.doors > 5 {
                                self.doors = oldValue
                            }
                        })()
                    }
                }

                private var _doors: _SwiftDataNoType = _SwiftDataNoType()

                private struct _$Storage: SluiceData._ModelStorage {
                    typealias Model = Car
                    var _$state: SluiceData._ModelState?
                    var doors: Int?
                    var _$isObserving0 = false
                    var _$wasSet0 = false
                    init() {
                    }
                    init(for modelType: Car.Type) {
                    }
                    mutating func _$decode(_ _$row: SluiceData._RowReader, _ _$base: Int) {
                        _$row.read(&self.doors, at: _$base + 0)
                        self._$wasSet0 = true
                    }
                    func _$encode(_ _$row: SluiceData._RowWriter, _ _$base: Int) {
                        _$row.write(self.doors, at: _$base + 0)
                    }
                    mutating func _$visit<Visitor: SluiceData._PropertyVisitor>(_ _$visitor: inout Visitor, _ _$base: Int) {
                        _$visitor.visit(&self.doors, at: _$base + 0)
                    }
                }

                private var _$backingData: _$Storage = _$Storage()

                override class var schemaMetadata: [SluiceData.Schema.PropertyMetadata] {
                    [
                        .init(name: "doors", keypath: \Car.doors, defaultValue: (4 as Int), metadata: nil),
                    ]
                }

                override class var _$originalName: String? {
                    "Auto"
                }

                override func _$forgetDefaults() {
                    super._$forgetDefaults()
                    _$backingData = _$Storage()
                }

                private static let _$base = SluiceData._inheritedPropertyCount(of: Car.self)

                override func _$decode(_ row: SluiceData._RowReader) {
                    super._$decode(row)
                    _$backingData._$decode(row, Self._$base)
                }

                override func _$encode(_ row: SluiceData._RowWriter) {
                    super._$encode(row)
                    _$backingData._$encode(row, Self._$base)
                }

                override func _$visit<Visitor: SluiceData._PropertyVisitor>(_ visitor: inout Visitor) {
                    super._$visit(&visitor)
                    _$backingData._$visit(&visitor, Self._$base)
                }

                nonisolated func access<Member>(keyPath: KeyPath<Car, Member>) {
                    _$observationRegistrar.access(self, keyPath: keyPath)
                }

                nonisolated func withMutation<Member, MutationResult>(
                    keyPath: KeyPath<Car, Member>, _ mutation: () throws -> MutationResult
                ) rethrows -> MutationResult {
                    try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
                }

                struct _SwiftDataNoType {
                }
            }
        }
        """#
}
