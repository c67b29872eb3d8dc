import Foundation
import SluiceCommandLine

let program = Program(only: SimulateCommand.self)
await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
