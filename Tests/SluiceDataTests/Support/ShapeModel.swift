import SluiceData

/// A model class written by hand of which only the declaration matters: it is read for its shape and never used as an instance.
protocol ShapeModel: PersistentModel {
    init()
}

extension ShapeModel {
    static var _$originalName: String? { nil }
    init(backingData: any BackingData<Self>) { self.init() }
    init(_$state: _ModelState) { self.init() }
    var _$state: _ModelState { preconditionFailure("a model for its shape alone was used") }
    func _$decode(_ row: _RowReader) {}
    func _$encode(_ row: _RowWriter) {}
    func _$visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor) {}
}

/// What `@Model` writes into a list of metadata.
typealias Metadata = [Schema.PropertyMetadata]
