import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of the tests' own: data and socket in a temporary folder, no TCP. It goes with the process that made it, however that
/// ends: a shell holds it, and stops it when its standard input ends.
package final class PostgreSQLCluster: Sendable {
    /// What could not be done, in the words of the program that was to do it.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// One for all tests of a process; each takes a database or a schema of its own.
    package static let shared = Result { try PostgreSQLCluster() }

    package let folder: String
    private let shell: Mutex<Shell>
    private static let port = 5432

    private struct Shell: @unchecked Sendable {
        let process: Process
        let input: Pipe
        let output: Pipe
    }

    /// PostgreSQL refuses to run as root, and a temporary folder is nobody's way: everything is done as the user `postgres` then.
    private static let script = """
        set -u
        folder=$1
        bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
        as_user() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
        server() { as_user "$bin/pg_ctl" -D "$folder/data" -w -t 60 "$@" >>"$folder/server.log" 2>&1; }
        end() { server stop -m immediate; rm -rf "$folder"; }
        trap end EXIT
        trap 'exit 1' INT TERM HUP
        if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
        chmod 700 "$folder"
        as_user "$bin/initdb" -D "$folder/data" -U sluice -A trust -E UTF8 --locale=C --no-sync >"$folder/server.log" 2>&1 || { echo "initdb: $(tail -n 3 "$folder/server.log")"; exit 1; }
        as_user tee -a "$folder/data/postgresql.conf" >/dev/null <<END
        listen_addresses = ''
        unix_socket_directories = '$folder'
        max_connections = 300
        shared_buffers = 64MB
        END
        sed -i '1i local all locked,sluice_records scram-sha-256' "$folder/data/pg_hba.conf"
        server start && echo ready || { echo "start: $(tail -n 3 "$folder/server.log")"; exit 1; }
        while read -r command; do
            case $command in
            start) server start && echo ready || echo "start: $(tail -n 3 "$folder/server.log")" ;;
            stop) server stop -m fast && echo ready || echo "stop: $(tail -n 3 "$folder/server.log")" ;;
            kill)
                postmaster=$(head -n 1 "$folder/data/postmaster.pid")
                family="$postmaster $(cat "/proc/$postmaster/task/$postmaster/children")"
                kill -KILL $family
                for process in $family; do while kill -0 "$process" 2>/dev/null; do sleep 0.02; done; done
                echo ready ;;
            esac
        done
        """

    package init() throws {
        folder = "/tmp/sluice-postgresql-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", Self.script, "bash", folder]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        shell = Mutex(Shell(process: process, input: input, output: output))
        try shell.withLock { try Self.expectReady($0) }
    }

    private static func expectReady(_ shell: Shell) throws {
        var line = ""
        while !line.hasSuffix("\n") {
            let piece = shell.output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            line += String(decoding: piece, as: UTF8.self)
        }
        guard line == "ready\n" else { throw Failure(description: "PostgreSQL: \(line)") }
    }

    private func command(_ name: String) throws {
        try shell.withLock { shell in
            try shell.input.fileHandleForWriting.write(contentsOf: Data("\(name)\n".utf8))
            try Self.expectReady(shell)
        }
    }

    /// `kill -9` of every process of the server.
    package func kill() throws { try command("kill") }
    package func stop() throws { try command("stop") }
    /// After `kill` or `stop`; returns when the server lets clients in.
    package func start() throws { try command("start") }

    /// The connection string of a database.
    package func target(_ database: String = "postgres", user: String = "sluice") -> String {
        "postgresql:///\(database)?host=\(folder)&port=\(Self.port)&user=\(user)"
    }

    /// Makes a database that nobody else uses.
    package func makeDatabase() throws -> String {
        let name = "test_\(UInt64.random(in: .min ... .max))"
        _ = try run("psql", ["-c", "CREATE DATABASE \(name)"])
        return name
    }

    /// Runs one of PostgreSQL's own programs on a database.
    /// - Returns: what it printed.
    @discardableResult
    package func run(_ program: String, _ arguments: [String], database: String = "postgres", input: String? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program, "-h", folder, "-p", "\(Self.port)", "-U", "sluice", "-d", database] + (program == "psql" ? ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"] : []) + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let stdin = Pipe()
        process.standardInput = stdin
        try process.run()
        // Large input on a thread of its own: the program may answer before it has read all.
        Thread.detachNewThread {
            // A program that ended early has said why.
            try? stdin.fileHandleForWriting.write(contentsOf: Data((input ?? "").utf8))
            try? stdin.fileHandleForWriting.close()
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program): \(complaint)") }
        return text
    }
}
