import Glibc

/// How a program ended, for the shell: 0, or one of the codes of `sysexits.h`.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// What was asked for was done.
    package static let success = ExitCode(rawValue: 0)
    /// The command line is wrong; nothing was done.
    package static let usage = ExitCode(rawValue: 64)
    /// The data read is damaged or not what it should be.
    package static let data = ExitCode(rawValue: 65)
    /// A file or store to read does not exist.
    package static let noInput = ExitCode(rawValue: 66)
    /// A program or service that is needed does not answer.
    package static let unavailable = ExitCode(rawValue: 69)
    /// A mistake in the program itself.
    package static let software = ExitCode(rawValue: 70)
    /// A file to write cannot be made.
    package static let cannotCreate = ExitCode(rawValue: 73)
    /// Reading or writing failed on the way.
    package static let inputOutput = ExitCode(rawValue: 74)
    /// It may work later without anybody changing anything.
    package static let temporaryFailure = ExitCode(rawValue: 75)
    /// Not permitted.
    package static let noPermission = ExitCode(rawValue: 77)
    /// The configuration is wrong.
    package static let configuration = ExitCode(rawValue: 78)

    /// Ends the process with this code.
    package func exit() -> Never { Glibc.exit(rawValue) }
}

/// An error that says how the program that it ends should exit. Any other error exits with `ExitCode.software`.
package protocol ExitCodeProviding: Error {
    var exitCode: ExitCode { get }
}
