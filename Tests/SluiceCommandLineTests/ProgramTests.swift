import SluiceCommandLine
import Testing

@Suite struct ProgramTests {
    @Test(arguments: [
        "list Item a b --json -n 5 --order newest --field x --field y",
        "list --json Item -n5 a --order=newest --field=x --field=y b",
        "list -jn=5 --field x --order newest --field y -- Item a b",
    ])
    func `options may stand anywhere and be written in each of the usual ways`(line: String) {
        #expect(
            Outcome.running(line).output
                == "entity=Item names=[\"a\", \"b\"] json=true quiet=false limit=5 order=newest fields=[\"x\", \"y\"]\n")
    }

    @Test func `after two dashes an option is an argument, and a single dash always is one`() {
        #expect(Outcome.running("list Item - -- --json").output.contains("names=[\"-\", \"--json\"] json=false"))
    }

    @Test(arguments: [
        ("", "sample: a command is missing; one of list, store\nTry 'sample --help'.\n"),
        ("lst", "sample: unknown command: lst. Did you mean list?\nTry 'sample --help'.\n"),
        ("store chekc", "sample store: unknown command: chekc. Did you mean check?\nTry 'sample store --help'.\n"),
        ("--json list", "sample: options stand after the command: --json\nTry 'sample --help'.\n"),
        ("list Item --jsn", "sample list: unknown option: --jsn. Did you mean --json?\nTry 'sample list --help'.\n"),
        ("list Item -x", "sample list: unknown option: -x\nTry 'sample list --help'.\n"),
        ("list Item --json=yes", "sample list: this option takes no value: --json\nTry 'sample list --help'.\n"),
        ("list Item -n", "sample list: this option needs a value (-n COUNT): -n\nTry 'sample list --help'.\n"),
        ("list Item -n --json", "sample list: this option needs a value (-n COUNT): -n\nTry 'sample list --help'.\n"),
        ("list Item -n x", "sample list: -n: expected a whole number, found: x\nTry 'sample list --help'.\n"),
        ("list Item --order up", "sample list: --order: expected one of newest, oldest, found: up\nTry 'sample list --help'.\n"),
        ("list Item -n 1 -n 2", "sample list: this option may be given once: -n\nTry 'sample list --help'.\n"),
        ("list Item --limit -3", "sample list: a limit is not negative: --limit\nTry 'sample list --help'.\n"),
        ("list", "sample list: missing argument: ENTITY\nTry 'sample list --help'.\n"),
        ("store check", "sample store check: missing option: --account NAME\nTry 'sample store check --help'.\n"),
        ("store check x --account y", "sample store check: unexpected argument: x\nTry 'sample store check --help'.\n"),
    ])
    func `a wrong command line exits with 64 and names the argument and the command to try`(line: String, message: String) {
        #expect(Outcome.running(line) == Outcome(code: .usage, output: "", errors: message))
    }

    @Test func `the help of the program lists its commands`() {
        let expected = """
            Usage: sample COMMAND [ARGUMENT...]

            Shows what a program can be.

            Commands:
              list   Print rows.
              store  Look after stores.

            Options:
              -h, --help  Show this help.
              --version   Show the version.

            'sample COMMAND --help' says more about one command.

            """
        #expect(Outcome.running("--help") == Outcome(code: .success, output: expected, errors: ""))
        #expect(Outcome.running("-h").output == expected)
    }

    @Test func `the help of a command shows everything it takes, even beside arguments that are wrong`() {
        let expected = """
            Usage: sample list ENTITY [NAME...] [--json] [--quiet] [--limit COUNT] [--order ORDER] [--field NAME]...

            Print rows.

            Rows come from the local store.

            Arguments:
              ENTITY  Whose rows.
              NAME    Record names;
                      all rows without one.

            Options:
              -j, --json         Print one JSON object per row.
              -q, --quiet        Print no titles.
              -n, --limit COUNT  How many rows. (default: 20)
              --order ORDER      Which rows come first.
              --field NAME       A field to print.
              -h, --help         Show this help.

            Exit codes:
              66  There is no store.

            """
        #expect(Outcome.running("list --help") == Outcome(code: .success, output: expected, errors: ""))
        #expect(Outcome.running("list -jh --nonsense").output == expected)
    }

    @Test func `the version is the program's name and version`() {
        #expect(Outcome.running("--version") == Outcome(code: .success, output: "sample 1.2.3\n", errors: ""))
    }

    @Test func `an error chooses its exit code and is printed once, on standard error`() async {
        let console = Console(output: TextSink(inMemoryAsTerminal: false), errors: TextSink(inMemoryAsTerminal: false))
        let code = await sampleProgram.runAwaiting(["store", "check", "--account", "a"], console: console)
        #expect(code == .noInput)
        #expect(console.output.contents == "")
        #expect(console.errors.contents == "sample: there is no store here\n")
    }

    @Test func `an argument with control characters cannot command the terminal`() {
        #expect(Outcome.running("\u{1B}[2J").errors.hasPrefix("sample: unknown command: \\u{1B}[2J"))
    }
}
