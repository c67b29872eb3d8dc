// Writes a legacy file as JSON that says everything the file says: the schema, every row under its record name with its values bit for
// bit, references by record name, memberships, places in ordered relationships, and at the end how many there were. The same content
// gives the same bytes. Memory holds one batch of rows; names of what references point at lie in a temporary database.

package import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// One export, read back by `JSONFile`.
package struct JSONExport {
    package enum Form: Sendable {
        /// One document.
        case document
        /// A line for each row.
        case lines
    }

    static let format = "sluice-export"
    static let version: Int64 = 1

    private let file: any LegacyFile
    private let form: Form
    private let map: RowMap

    package init(_ file: any LegacyFile, form: Form) throws {
        self.file = file
        self.form = form
        map = try RowMap(file.schema)
    }

    /// - Parameter write: is given the text piece by piece.
    /// - Returns: how many rows and memberships were written.
    @discardableResult
    package func run(_ write: (Data) throws -> Void) throws -> (rows: Int, links: Int) {
        for entity in file.entities {
            try file.forEachBatch(of: entity) { rows in
                for row in rows { try map.put(row, at: RowKey(table: 0, key: row.primaryKey), isFresh: true) }
            }
        }
        var (rowCount, linkCount) = (0, 0)
        try write(try head())
        for entity in file.entities {
            try file.forEachBatch(of: entity) { rows in
                var text = Data()
                for row in rows {
                    text += separator(rowCount == 0) + (try line(row))
                    rowCount += 1
                }
                try write(text)
            }
        }
        if form == .document { try write(Data("],\n\"links\":[".utf8)) }
        try file.forEachLinkBatch { links in
            var text = Data()
            for link in links {
                guard let line = try line(link) else { continue }
                text += separator(linkCount == 0) + line
                linkCount += 1
            }
            try write(text)
        }
        try write(try foot(rowCount, linkCount))
        return (rowCount, linkCount)
    }

    package static let partialSuffix = ".partial"

    /// Writes the export to a file of this user's only. It gets its name when it is whole; what a kill leaves is replaced by the next run.
    /// - Parameter path: absolute; nothing may be there.
    package func write(to path: String) throws {
        let partial = path + Self.partialSuffix
        try Folder.remove(partial)
        let file = try OpenFile.creating(partial)
        try run { try file.write($0) }
        try file.synchronize()
        try Folder.rename(partial, to: path)
    }

    private func separator(_ isFirst: Bool) -> Data { Data((form == .document && !isFirst ? ",\n" : "\n").utf8) }

    private func head() throws -> Data {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("format", Self.format)
        writer.member("version", Self.version)
        writer.member("store", file.report.storeIdentifier)
        writer.member("entities", file.entities)
        writer.key("schema")
        writer.encoded(try file.schema.canonicalEncoding())
        if form == .lines {
            writer.endObject()
            return writer.data
        }
        return writer.data + Data(",\n\"rows\":[".utf8)
    }

    private func foot(_ rows: Int, _ links: Int) throws -> Data {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("rows", Int64(rows))
        writer.member("links", Int64(links))
        writer.endObject()
        return form == .document
            ? Data("],\n\"counts\":".utf8) + writer.data + Data("}\n".utf8) : Data("\n{\"counts\":".utf8) + writer.data + Data("}\n".utf8)
    }

    private func line(_ row: LegacyRow) throws -> Data {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("entity", row.entity)
        writer.member("name", row.recordName.text)
        let values = row.values.filter { !$0.value.isNull }.sorted { $0.key < $1.key }
        if !values.isEmpty {
            writer.key("values")
            writer.beginObject()
            for (name, value) in values {
                writer.key(name)
                try write(value, &writer)
            }
            writer.endObject()
        }
        let references = row.toOne.compactMapValues { $0 }.sorted { $0.key < $1.key }
        let named = try references.compactMap { name, target in try map.place(of: target).map { (name, $0.name) } }
        if !named.isEmpty {
            writer.key("references")
            writer.beginObject()
            for (name, target) in named { writer.member(name, target.text) }
            writer.endObject()
        }
        let positions = references.compactMap { name, target in target.position.map { (name, $0) } }
        if !positions.isEmpty {
            writer.key("positions")
            writer.beginObject()
            for (name, position) in positions { writer.member(name, position) }
            writer.endObject()
        }
        writer.endObject()
        return writer.data
    }

    private func write(_ value: PropertyValue, _ writer: inout JSONWriter) throws {
        switch ScalarForm(exact: value) {
        case .null: writer.null()
        case .boolean(let flag): writer.boolean(flag)
        case .integer(let number): writer.integer(number)
        case .double(let number): try writer.double(number)
        case .string(let text): writer.string(text)
        }
    }

    private func line(_ link: LegacyLink) throws -> Data? {
        guard let owner = try map.place(of: link.owner), let member = try map.place(of: link.member) else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("relationship", "\(declaringEntity(of: link)).\(link.relationship)")
        writer.member("owner", owner.name.text)
        writer.member("member", member.name.text)
        writer.member("position", link.member.position)
        writer.member("ownerPosition", link.owner.position)
        writer.endObject()
        return writer.data
    }

    private func declaringEntity(of link: LegacyLink) -> String {
        guard let entity = file.schema.entity(named: link.owner.entity) else { return link.owner.entity }
        return file.schema.lineage(of: entity).first { $0.relationships.contains { $0.name == link.relationship } }?.name ?? entity.name
    }
}

extension ScalarForm {
    /// A form that keeps every bit: a date that is no whole millisecond is written as its seconds since 2001, an unusual NaN as its bits.
    init(exact value: PropertyValue) {
        self.init(value)
        switch value {
        case .date(let date) where property(as: .date) != value: self = .string("2001+\(date.timeIntervalSinceReferenceDate)")
        case .double(let number) where number.isNaN && property(as: .double) != value:
            self = .string(Self.nanPrefix + String(number.bitPattern, radix: 16))
        default: break
        }
    }
}
