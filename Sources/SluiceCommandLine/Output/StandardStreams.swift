import Glibc

package enum StandardStreams {
    /// Sees to it that the first three descriptors are open: the next file that is opened would take the place of one that is not, and be
    /// written to in its stead. What is written to one that was closed fails, as it would have.
    package static func hold() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one, because those below are open.
            _ = Glibc.open("/dev/null", O_RDONLY)
        }
    }
}
