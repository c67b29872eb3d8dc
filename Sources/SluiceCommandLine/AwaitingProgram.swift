extension Program {
    /// Runs a program whose commands may wait; synchronous ones are fine too.
    package func runAwaiting(_ arguments: [String], console: Console) async -> ExitCode {
        do {
            switch try request(arguments) {
            case .text(let text):
                console.printLine(text)
                return console.finish(.success)
            case .command(let command, _):
                if let command = command as? any AsynchronousCommand { return console.finish(try await command.run(console)) }
                if let command = command.synchronous { return console.finish(try command.run(console)) }
                preconditionFailure("\(type(of: command)) declares no run(_:)")
            }
        } catch {
            return console.finish(error, program: name)
        }
    }
}
