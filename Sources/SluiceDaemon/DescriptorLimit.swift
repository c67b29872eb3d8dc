import Glibc

/// The limit of open files. Shells and service managers set a low one for the sake of programs that use `select`, which none of Sluice's does.
package enum DescriptorLimit {
    /// Raises the limit that holds to the highest that this process may have.
    /// - Returns: the limit that holds now.
    @discardableResult
    package static func raise() -> UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return UInt64(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_cur : before)
    }
}
