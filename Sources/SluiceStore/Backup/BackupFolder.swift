// The folder beside a store that holds its backups. One process at a time works in it.

import Foundation
import Glibc

/// The name of one backup's folder: `1.0.0-20261130T201500Z`, with a number behind it where a second has several.
struct BackupName: Comparable {
    /// What the backup is of: a version of the schema, or one of the words below.
    let label: String
    /// When it was made, in UTC.
    let stamp: String
    let number: Int

    init(label: String, at date: Date = Date(), number: Int = 1) {
        self.label = label
        stamp = date.formatted(Self.format)
        self.number = number
    }

    /// nil for a name that is none of ours.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let place = parts.lastIndex(where: { Self.isStamp($0) }), place > 0, !text.hasPrefix(".") else { return nil }
        number = parts.count == place + 1 ? 1 : Int(parts[place + 1]) ?? 0
        guard number > 0, parts.count <= place + 2 else { return nil }
        label = parts[..<place].joined(separator: "-")
        stamp = String(parts[place])
    }

    var text: String { number == 1 ? "\(label)-\(stamp)" : "\(label)-\(stamp)-\(number)" }

    /// Never nil for a name that was read or made here.
    var date: Date? { try? Self.format.parse(stamp) }

    static func < (left: BackupName, right: BackupName) -> Bool {
        (left.stamp, left.number, left.label) < (right.stamp, right.number, right.label)
    }

    /// Parsing alone takes what stands behind a date for nothing.
    private static func isStamp(_ text: some StringProtocol) -> Bool {
        (try? format.parse(String(text)))?.formatted(format) == String(text)
    }

    private static let format = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
}

/// The folder, locked until this value is released.
final class BackupFolder {
    let path: String
    private let descriptor: Int32

    static func path(ofStore path: String) -> String { "\(path).backups" }

    /// The directory that a file is in.
    static func directory(of path: String) -> String {
        let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        return directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    }

    /// One process after the other: two that are about to migrate a store back it up at the same time.
    init(ofStore store: String) throws {
        path = Self.path(ofStore: store)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExternalWriteFailure.last("opening", path) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                defer { close(descriptor) }
                throw ExternalWriteFailure.last("locking", path)
            }
        }
    }

    deinit { close(descriptor) }

    /// Runs `body` with an empty folder in here, gives it its name when that returns, and removes it where it throws.
    /// - Returns: the folder's path.
    func making(_ name: BackupName, _ body: (String) throws -> Void) throws -> String {
        let partial = "\(path)/.\(name.text).partial"
        do {
            try FileManager.default.createDirectory(
                atPath: partial, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try body(partial)
            let place = "\(path)/\(try unused(name).text)"
            guard rename(partial, place) == 0, fsync(descriptor) == 0 else { throw ExternalWriteFailure.last("giving its name to", place) }
            return place
        } catch {
            // What remains of the attempt is no use to anybody; the error says what happened.
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    /// Who has the turn makes the only one: any other is of a process that was killed.
    func removeAttempts() throws {
        for name in try Self.attempts(in: path) { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
    }

    /// What killed programs left in a folder, or what one that runs is making.
    static func attempts(in path: String) throws -> [String] {
        try ExternalFolder.names(in: path).filter { $0.hasPrefix(".") && $0.hasSuffix(".partial") }
    }

    /// Whether somebody has the turn in a folder.
    static func isBusy(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Backups of one second have numbers, which only grow: the newest is not to be taken for the oldest.
    private func unused(_ name: BackupName) throws -> BackupName {
        let last = try Self.names(in: path).filter { ($0.label, $0.stamp) == (name.label, name.stamp) }.map(\.number).max()
        guard let last, let date = name.date else { return name }
        return BackupName(label: name.label, at: date, number: last + 1)
    }

    /// The oldest first.
    static func names(in path: String) throws -> [BackupName] { try ExternalFolder.names(in: path).compactMap { BackupName($0) }.sorted() }

    /// Puts the names in a directory on disk.
    func synchronize(_ directory: String) throws {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExternalWriteFailure.last("opening", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ExternalWriteFailure.last("putting on disk the names in", directory) }
    }

    func remove(_ name: BackupName) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name.text)") }
}
