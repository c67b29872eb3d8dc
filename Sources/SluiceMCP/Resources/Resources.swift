// sluice://GROUP/entity/NAME      an entity: its properties and its first rows
// sluice://GROUP/record/NAME      one record
//
// Names are percent-encoded where a URI has other uses for their characters.

import FoundationEssentials
import SluiceReader
import SluiceJSON
import SluiceSchema

/// The container's contents by address.
struct Resources {
    private let library: Library

    init(_ library: Library) { self.library = library }

    private var base: String { "sluice://\(Self.encoded(library.name))" }

    /// The answer to `resources/list`: an address for each entity; none where there is nothing to read.
    func list() throws(ProtocolError) -> Data {
        var entities: [Entity] = []
        do { entities = try library.read(\.entities) } catch is ReaderError {
            // Which trouble it is, `freshness` says.
        } catch { throw ProtocolError(.internalError, "\(error)") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("resources") { writer in
                for entity in entities {
                    writer.object { writer in
                        writer.member("uri", "\(base)/entity/\(Self.encoded(entity.name))")
                        writer.member("name", entity.name)
                        writer.member("description", "The properties of \(entity.name), and its first rows.")
                        writer.member("mimeType", "application/json")
                    }
                }
            }
        }
        return writer.data
    }

    /// The answer to `resources/templates/list`.
    var templates: Data {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("resourceTemplates") { writer in
                for (kind, name, text) in [
                    ("entity", "Entity", "The properties of an entity, and its first rows."), ("record", "Record", "One record, by its name."),
                ] {
                    writer.object { writer in
                        writer.member("uriTemplate", "\(base)/\(kind)/{name}")
                        writer.member("name", name)
                        writer.member("description", text)
                        writer.member("mimeType", "application/json")
                    }
                }
            }
        }
        return writer.data
    }

    /// The answer to `resources/read`.
    func read(_ parameters: JSONObject?) throws(ProtocolError) -> Data {
        guard case .string(let uri) = parameters?["uri"] else { throw ProtocolError(.invalidParameters, "uri must be a string") }
        let text: Data?
        do { text = try contents(of: uri) } catch let error as ReaderError {
            throw ProtocolError(.unavailable, "\(ContainerStatus(error).word): \(error)")
        } catch let fault as Tools.Fault {
            throw ProtocolError(.resourceNotFound, fault.message)
        } catch { throw ProtocolError(.internalError, "\(error)") }
        guard let text else { throw ProtocolError(.resourceNotFound, "there is no resource \(uri.prefix(300))") }
        var writer = JSONWriter(capacity: text.count + text.count / 8 + 128)
        writer.object { writer in
            writer.array("contents") { writer in
                writer.object { writer in
                    writer.member("uri", uri)
                    writer.member("mimeType", "application/json")
                    writer.member("text", String(decoding: text, as: UTF8.self))
                }
            }
        }
        return writer.data
    }

    /// nil for an address of nothing.
    private func contents(of uri: String) throws -> Data? {
        for kind in ["entity", "record"] {
            let start = "\(base)/\(kind)/"
            guard uri.hasPrefix(start), let name = Self.decoded(uri.dropFirst(start.count)), !name.isEmpty else { continue }
            return kind == "entity" ? try Questions(library).overview(of: name) : try Questions(library).record(name, fields: nil)
        }
        return nil
    }

    // MARK: Percent-encoding (RFC 3986, unreserved characters as they are)

    static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-._~".unicodeScalars.contains(scalar))
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(scalar) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }

    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
