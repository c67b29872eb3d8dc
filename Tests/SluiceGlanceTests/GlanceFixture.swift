import Foundation
import Glibc
import SluiceSchema
import SluiceStore

@testable import SluiceGroup

/// A synced store, a group container filled from it, and the built program to look at it with.
final class GlanceFixture {
    struct Outcome: Equatable {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Who runs the program.
    enum User {
        case own
        /// In the container's group, with no permission to write anything.
        case member
        /// Not in its group.
        case stranger
    }

    static let isRoot = geteuid() == 0

    let folder: URL
    let store: Store
    let writer: LocalStoreWriter

    init(options: LocalStoreWriter.Options = .init()) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Self.openStore(folder.path)
        writer = try Self.openWriter(folder.path, schema: store.layout.schema, options: options)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static func openStore(_ folder: String) throws -> Store {
        try Store(
            path: "\(folder)/Private.store", schema: Schema(name: "shop", validating: entities), options: Store.Options(zone: "shop"))
    }

    static func openWriter(
        _ folder: String, schema: Schema, options: LocalStoreWriter.Options = .init()
    ) throws -> LocalStoreWriter {
        try LocalStoreWriter(
            group: GroupDirectory(preparing: "\(folder)/groups/shop", unixGroup: isRoot ? "nogroup" : nil),
            projections: Projection.everything(in: schema), privateStoreSchema: schema, options: options)
    }

    static let entities: [Entity] = [
        Entity(
            "Item",
            attributes: [
                Attribute("title", .string), Attribute("price", .double, isOptional: true),
                Attribute("isChecked", .boolean, defaultValue: .boolean(false)), Attribute("due", .date, isOptional: true),
            ],
            relationships: [Relationship("list", to: "List", inverse: "items")]),
        Entity(
            "List", attributes: [Attribute("name", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list")]),
        Entity("Photo", attributes: [Attribute("title", .string), Attribute("image", .data, isOptional: true, isExternal: true)]),
    ]

    func put(_ titles: String...) throws {
        try store.write {
            for title in titles { try store.put("Item", name: .text(title), RowEdit(attributes: ["title": .string(title)])) }
        }
    }

    var group: URL { folder.appending(path: "groups/shop") }

    /// Names, sizes and times of everything in the container.
    func listing() throws -> [String] {
        let manager = FileManager.default
        return try manager.subpathsOfDirectory(atPath: group.path).sorted().map { name in
            let attributes = try manager.attributesOfItem(atPath: group.appending(path: name).path)
            return "\(name) \(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? "") \(attributes[.posixPermissions] ?? 0)"
        }
    }

    /// Runs `sluice-glance` with this container.
    func glance(_ arguments: String..., as user: User = .own) throws -> Outcome { try glance(arguments, as: user) }

    func glance(_ arguments: [String], as user: User = .own) throws -> Outcome {
        var command = [Self.program, arguments[0], "--groups-dir", folder.appending(path: "groups").path, "--group", "shop"]
        command += arguments.dropFirst()
        switch user {
        case .own: break
        case .member: command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command
        case .stranger: command = ["setpriv", "--reuid=nobody", "--regid=65533", "--clear-groups"] + command
        }
        return try Self.run(command)
    }

    /// The program lies beside the tests.
    static var program: String { Bundle.main.bundleURL.appending(path: "sluice-glance").path }

    @discardableResult
    static func run(_ command: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Small enough for a pipe to hold; results are read before the process is waited for all the same.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text, errors: complaint)
    }
}
