import Foundation
import SluiceCommandLine
import Testing

@Suite struct OutputTests {
    @Test func `columns line up whatever the width of the characters`() {
        var table = Table([.init("name"), .init("count", isRightAligned: true), .init("note")])
        table.append(["Milch", "2", ""])
        table.append(["牛乳", "1000", "x"])
        table.append(["cafe\u{301} 🥛", "3", "a\nb\u{1B}"])
        #expect(
            table.lines == [
                "name     count  note", "Milch        2", "牛乳      1000  x", "cafe\u{301} 🥛      3  a\\nb\\u{1B}",
            ])
    }

    @Test func `progress is redrawn in place on a terminal and only when it changes`() {
        let console = Console(output: TextSink(inMemoryAsTerminal: true), errors: TextSink(inMemoryAsTerminal: true))
        var progress = Progress("rows", total: 1000, console: console)
        for done in [0, 1, 2, 10] { progress.update(done) }
        progress.finish(1000)
        let clear = "\r\u{1B}[K"
        #expect(console.errors.contents == "\(clear)rows: 0 of 1000\(clear)rows: 10 of 1000\(clear)rows: 1000 of 1000\n")
        #expect(console.output.contents == "")
    }

    @Test func `elsewhere progress is a line per tenth`() {
        let console = Console(output: TextSink(inMemoryAsTerminal: false), errors: TextSink(inMemoryAsTerminal: false))
        var progress = Progress("rows", total: 100_000, console: console)
        for done in 0...100_000 { progress.update(done) }
        progress.finish(100_000)
        let lines = console.errors.contents.split(separator: "\n")
        #expect(lines.count == 12)
        #expect(lines.last == "rows: 100000 of 100000, finished")
    }

    @Test func `one JSON object is one line with sorted keys`() throws {
        let console = Console(output: TextSink(inMemoryAsTerminal: false), errors: TextSink(inMemoryAsTerminal: false))
        try console.printJSON(["b": "x/y\n", "a": "1"])
        #expect(console.output.contents == "{\"a\":\"1\",\"b\":\"x/y\\n\"}\n")
    }

    @Test func `a line of a log is out when it is written, a line of a result when the program ends`() throws {
        let (log, result) = (Pipe(), Pipe())
        let console = Console(
            output: TextSink(descriptor: result.fileHandleForWriting.fileDescriptor),
            errors: TextSink(descriptor: log.fileHandleForWriting.fileDescriptor, gathers: false))
        for descriptor in [log, result].map(\.fileHandleForReading.fileDescriptor) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        console.report("note")
        console.printLine("row")
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(log.fileHandleForReading.fileDescriptor, &buffer, 16) == 5)
        #expect(read(result.fileHandleForReading.fileDescriptor, &buffer, 16) == -1)
        #expect(console.output.flush())
        #expect(read(result.fileHandleForReading.fileDescriptor, &buffer, 16) == 4)
    }

    @Test func `a reader that went away turns success into an error`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        signal(SIGPIPE, SIG_IGN)
        let console = Console(
            output: TextSink(descriptor: pipe.fileHandleForWriting.fileDescriptor), errors: TextSink(inMemoryAsTerminal: false))
        #expect(sampleProgram.run(["--version"], console: console) == .inputOutput)
    }
}
