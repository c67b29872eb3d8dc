import Foundation
import Glibc
import Testing

@testable import SluiceMCP

/// What comes in is lines, and none of them is too much.
@Suite struct LineReaderTests {
    private func lines(_ bytes: Data) -> [LineReader.Line] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return [] }
        let writing = ends[1]
        let thread = Thread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(writing, $0.baseAddress, min($0.count, 10_000)) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(writing)
        }
        thread.start()
        let reader = LineReader(descriptor: ends[0])
        var found: [LineReader.Line] = []
        while let line = reader.next() { found.append(line) }
        close(ends[0])
        return found
    }

    @Test func `lines are taken apart, the last one without an end among them`() {
        #expect(lines(Data("a\n\nb\r\nc".utf8)) == [.text(Data("a".utf8)), .text(Data()), .text(Data("b\r".utf8)), .text(Data("c".utf8))])
        #expect(lines(Data()) == [])
    }

    @Test func `a line that is too long is passed over to its end, and the next one is read`() {
        let long = Data(repeating: UInt8(ascii: "x"), count: LineReader.byteCountMax + 1)
        #expect(lines(long + Data("\nnext\n".utf8)) == [.tooLong, .text(Data("next".utf8))])
        #expect(lines(long + long + Data("\nnext".utf8)) == [.tooLong, .text(Data("next".utf8))])
        #expect(lines(long) == [.tooLong])
        let longest = Data(repeating: UInt8(ascii: "x"), count: LineReader.byteCountMax)
        #expect(lines(longest + Data("\n".utf8)) == [.text(longest)])
    }
}
