/// One version of a schema as it was released, and what leads to it from the version before.
package struct SchemaRelease: Hashable, Sendable {
    package var schema: Schema
    /// nil: what follows from the two shapes alone.
    package var stage: StageScript?

    package init(_ schema: Schema, stage: StageScript? = nil) {
        self.schema = schema
        self.stage = stage
    }
}
