import Foundation
import Glibc

/// One run of a program whose output is read.
struct SpawnedProgram {
    private let command: [String]
    private let process: pid_t
    private let descriptor: Int32

    /// F_SETPIPE_SZ (man 2 fcntl), which Swift does not see.
    private static let setPipeSize: Int32 = 1_031

    /// A program that could not be run, or failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts it.
    /// - Parameter pipeByteCount: how much of its output may wait to be read; the kernel's own measure without it.
    init(_ command: [String], pipeByteCount: Int32? = nil) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        if let pipeByteCount { _ = fcntl(ends[1], Self.setPipeSize, pipeByteCount) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        // Its remarks would come once a round.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw Failure(description: "\(command[0]): \(String(cString: strerror(code)))")
        }
        self.command = command
        self.process = process
        descriptor = ends[0]
    }

    /// Everything that it prints, when it has ended.
    func output() throws -> String {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                bytes.append(contentsOf: buffer[..<count])
            }
        }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else { throw Failure(description: "ended with wait status \(status): \(command.joined(separator: " "))") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The most that it had in memory when it waits for somebody to take its output, in MiB. What the kernel keeps of a process that has ended
    /// counts its parent's memory too, so this one is looked at while it lives.
    func peakMebibytes() throws -> Double {
        let deadline = ContinuousClock.now + .seconds(10)
        var (last, calm) = (0.0, 0)
        while calm < 20, ContinuousClock.now < deadline {
            usleep(2_000)
            let now = peak
            calm = now == last && now > 0 ? calm + 1 : 0
            last = now
        }
        _ = try output()
        try WrongResult.check(last > 0, "the program's peak could not be read")
        return last
    }

    /// 0 where it cannot be read.
    private var peak: Double {
        guard let status = try? String(contentsOf: URL(filePath: "/proc/\(process)/status"), encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return 0 }
        return kibibytes / 1_024
    }
}
