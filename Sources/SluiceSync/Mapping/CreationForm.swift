import SluiceRecords
import SluiceSchema

/// In which order the columns of an entity stand in a record that is sent as a whole, and in its metadata.
struct CreationForm {
    struct Column {
        /// Its position in the table.
        let position: Int
        /// nil for a reference.
        let type: AttributeType?
        let field: String
    }

    let recordType: String
    /// Fields ascending by the bytes of their names, as a record has them.
    let columns: [Column]
    /// How many of them stand before the metadata.
    let countBeforeMetadata: Int
    /// Positions in `columns`, as the metadata has them.
    let stampOrder: [Int]

    init(_ entity: StoredEntity, in table: TableLayout) {
        recordType = entity.wireName
        columns = zip(entity.columns, entity.wireNames).map { position, name in
            Column(position: position, type: table.columns[position].attribute?.type, field: name)
        }.sorted { $0.field.utf8.lexicographicallyPrecedes($1.field.utf8) }
        countBeforeMetadata = columns.count { $0.field.utf8.lexicographicallyPrecedes(RecordMapping.metadataField.utf8) }
        stampOrder = columns.indices.sorted { [columns] in columns[$0].field < columns[$1].field }
    }
}
