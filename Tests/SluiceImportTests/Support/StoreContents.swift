import Foundation
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

extension Workplace {
    var target: String { path + "/Private.store" }

    func importing(
        _ name: String, mapping: LegacyMapping? = nil, schema: Schema? = nil, after step: (LegacyImport.Step) throws -> Void = { _ in }
    ) throws -> LegacyImport.Result {
        var options = LegacyImport.Options(store: Store.Options(zone: "test"), schemaName: "legacy", schema: schema)
        options.mapping = mapping
        return try LegacyImport(target: target, options: options).run(stage(name), after: step)
    }

    func openTarget() throws -> Store {
        let schema = try #require(try Store.schema(at: target))
        return try Store(path: target, schema: schema, options: Store.Options(zone: "test"))
    }

    func openAny(_ name: String, mapping: LegacyMapping? = nil) throws -> any LegacyFile {
        var options = LegacyFileOptions(schemaName: "legacy")
        options.mapping = mapping
        return try LegacyKind.open(stage(name), options: options)
    }
}

extension Store {
    /// Every row of every table, pairs included, by record name: what two stores of the same content share.
    func contents() throws -> [String: StoredRow] {
        var rows: [String: StoredRow] = [:]
        for entity in layout.sortedEntities {
            try forEachRow(of: entity) { rows["\($0.entity) \($0.name)"] = $0 }
        }
        return rows
    }
}

extension LegacyFile {
    func json(_ form: JSONExport.Form) throws -> Data {
        var text = Data()
        try JSONExport(self, form: form).run { text += $0 }
        return text
    }
}
