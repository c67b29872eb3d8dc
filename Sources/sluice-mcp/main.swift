import SluiceCommandLine
import SluiceMCP

StandardStreams.hold()
StandardStreams.unblockSignals()
Program(only: ServeCommand.self).run(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
