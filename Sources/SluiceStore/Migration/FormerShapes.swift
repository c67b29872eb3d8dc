// Shapes that a file had and was migrated from. A program that still has such a shape is an older one: what looks to it like a property that
// went is one that it does not know yet.

package import SluiceSchema
import SluiceDigest
import SluiceSQLite

extension Store {
    private static func key(ofShape schema: Schema) throws -> String {
        "former.\(Digest.sha256(try schema.shapeEncoding()).hexadecimal)"
    }

    /// Inside a migration: remembers what the file was before a step.
    package func noteFormer(_ schema: Schema) throws { try set(.text("\(schema.version)"), for: Self.key(ofShape: schema)) }

    /// Whether the file at `path` had that shape once and has it no longer.
    package static func hasLeft(_ schema: Schema, at path: String) throws -> Bool {
        let connection = try Connection(path: path, mode: .readOnly)
        return try connection.value("SELECT value FROM _sluice_store WHERE key = ?", [.text(key(ofShape: schema))]) != nil
    }
}
