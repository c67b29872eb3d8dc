import FoundationEssentials
import Glibc
import SluiceFailpoints
package import SluiceReader

extension GroupDirectory {
    private var pointerPath: String { "\(path)/\(LocalStoreFile.pointerName)" }

    /// The pointer as it stands; nil where there is none, or none that can be read: it is then written anew.
    package func pointer() -> ContainerPointer? {
        let descriptor = open(pointerPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        // Everything it says can be made again, so a damaged one is as good as none.
        return try? JSONDecoder().decode(ContainerPointer.self, from: Data(buffer[..<count]))
    }

    /// Says in the pointer what the account is doing, while nobody fills the container. The store that it names stays readable.
    package func announce(_ state: ContainerPointer.State) throws {
        let known = pointer()
        var next = known ?? ContainerPointer(file: nil, state: .preparing)
        next.state = state == .current && next.file == nil ? .preparing : state
        if next != known { try write(next) }
    }

    /// Replaces the pointer: whoever reads it, before or after a loss of power, finds the old one or the new one.
    package func write(_ pointer: ContainerPointer) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = try encoder.encode(pointer)
        bytes.append(UInt8(ascii: "\n"))
        // One writer per container, so one name is enough; what a crash left there is overwritten.
        let temporary = "\(path)/.\(LocalStoreFile.pointerName).new"
        try write(bytes, to: temporary)
        Failpoint.pass(.renaming)
        guard rename(temporary, pointerPath) == 0 else { throw GroupError.last("replacing", pointerPath) }
        Failpoint.pass(.renamed)
        try synchronize()
    }

    private func write(_ bytes: Data, to path: String) throws(GroupError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("making the file", path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, Self.fileMode) == 0 else { throw .last("setting the mode", path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .last("writing", path)
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw .last("writing to disk", path) }
    }
}
