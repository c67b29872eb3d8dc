// One thread for any number of small servers. libmicrohttpd gives each daemon threads of its own, which is right for one that serves many
// clients and far too much for a thousand that hear from somebody once a day. Each daemon has an epoll set; this thread waits for all of them.

import CMicroHTTPD
import CShims
import CShimsMicroHTTPD
import Foundation
import Glibc
import Synchronization

/// Drives daemons that have no threads of their own. Made once, used by any number of servers; its thread stays.
package final class DaemonLoop: Sendable {
    /// Unchecked: a daemon is run by the loop's thread alone, under the lock, until it is taken out under the same lock.
    private struct Daemon: @unchecked Sendable { let handle: OpaquePointer }

    /// By the descriptor of its epoll set. The lock is held while a daemon runs, so that nobody stops it then.
    private let daemons = Mutex<[Int32: Daemon]>([:])
    private let epoll = sluice_epoll_create()
    /// Daemons that have to run although nothing can be read: the library has no way to say so without a thread of its own.
    private let woken = Mutex<Set<Int32>>([])
    private let bell = sluice_wake_descriptor()

    package init() {
        _ = sluice_epoll_add(epoll, bell)
        let thread = Thread { self.run() }
        thread.name = "small servers"
        thread.start()
    }

    /// Begins to drive a daemon. Returns false where the system has no more descriptors.
    func add(_ handle: OpaquePointer) -> Bool {
        guard let descriptor = Self.descriptor(of: handle) else { return false }
        return daemons.withLock { daemons in
            guard sluice_epoll_add(epoll, descriptor) == 0 else { return false }
            daemons[descriptor] = Daemon(handle: handle)
            // The library puts the listening socket into its set when it first runs.
            MHD_run(handle)
            return true
        }
    }

    /// When this returns nobody drives the daemon any more.
    func remove(_ handle: OpaquePointer) {
        guard let descriptor = Self.descriptor(of: handle) else { return }
        daemons.withLock { daemons in
            daemons[descriptor] = nil
            _ = sluice_epoll_remove(epoll, descriptor)
        }
    }

    private static func descriptor(of handle: OpaquePointer) -> Int32? {
        sluice_mhd_daemon_info(handle, .DAEMON_INFO_EPOLL_FD).map { $0.pointee.epoll_fd }
    }

    /// What lets the daemon of a connection run, from any thread.
    func waking(daemonOf connection: OpaquePointer) -> (@Sendable () -> Void)? {
        guard let daemon = sluice_mhd_connection_info(connection, .CONNECTION_INFO_DAEMON)?.pointee.daemon,
            let descriptor = Self.descriptor(of: daemon)
        else { return nil }
        return { [self] in
            _ = woken.withLock { $0.insert(descriptor) }
            var count: UInt64 = 1
            write(bell, &count, 8)
        }
    }

    private func takeWoken() -> [Int32] {
        var count: UInt64 = 0
        read(bell, &count, 8)
        return woken.withLock { woken in
            defer { woken = [] }
            return woken.sorted()
        }
    }

    private func run() {
        var descriptors = [Int32](repeating: 0, count: 64)
        while true {
            let count = sluice_epoll_wait(epoll, &descriptors)
            for descriptor in descriptors.prefix(Int(max(0, count))) {
                if descriptor == bell {
                    for woken in takeWoken() { run(woken) }
                } else {
                    run(descriptor)
                }
            }
        }
    }

    private func run(_ descriptor: Int32) {
        daemons.withLock { daemons in
            guard let daemon = daemons[descriptor] else { return }
            var isMore = true
            // What was read along with an earlier request, or goes on at once after one, shows in no descriptor.
            while isMore {
                MHD_run(daemon.handle)
                var milliseconds: UInt64 = 0
                isMore = MHD_get_timeout(daemon.handle, &milliseconds) == .YES && milliseconds == 0
            }
        }
    }
}
