extension CommandTree {
    /// `completions SHELL`: what a shell needs to complete the program's commands and options.
    package static var completions: CommandTree {
        let shell = Parameter<Completions.Shell>.positional("SHELL", help: "bash, zsh or fish.")
        return .text(
            Declaration(
                "completions", "Print a completion script.",
                discussion: "For bash, put it into the folder bash_completion.d; for zsh, as _PROGRAM into a folder of fpath; for fish, into its folder completions.",
                parameters: [shell.declaration])
        ) { arguments, program in Completions(program: program).script(for: arguments.required(shell)) }
    }

    /// `manual`: the program's manual page.
    package static var manual: CommandTree {
        .text(
            Declaration("manual", "Print the manual page.", discussion: "To be read with: PROGRAM manual | man -l -")
        ) { _, program in ManualPage(program: program).text }
    }
}
