import Glibc

/// What a program that others start makes sure of, whatever it was started with.
package enum StandardStreams {
    /// Sees to it that the first three descriptors are open: the next file that is opened would take the place of one that is not, and be
    /// written to in its stead. What is written to one that was closed fails, as it would have.
    package static func hold() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one, because those below are open.
            _ = Glibc.open("/dev/null", O_RDONLY)
        }
    }

    /// Lets the signals through that end a program. Who starts it from a thread that blocks them (bars and service managers do) passes that on:
    /// it could then not be stopped, and would not be when its reader has gone.
    package static func unblockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        sigprocmask(SIG_UNBLOCK, &signals, nil)
    }
}
