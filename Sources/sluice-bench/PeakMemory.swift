import CBenchmarks
import Foundation

/// The most memory that the process had, as the kernel counts it.
enum PeakMemory {
    static func mebibytes(during body: () throws -> Void) throws -> Double {
        // Gives back what earlier benchmarks left free, and makes the kernel forget the peak so far (proc(5), clear_refs).
        sluice_bench_trim()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        try body()
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
            throw WrongResult(description: "/proc/self/status names no peak")
        }
        return kibibytes / 1_024
    }
}
