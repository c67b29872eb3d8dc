// Runs any number of accounts in one process. Each is a child task of one group: a broken or slow account delays none of the others, and a
// configuration that cannot be read stops nothing that runs.
//
// SIGHUP reads the configuration again: accounts that are new start, those that are gone stop, those that changed start anew. SIGTERM ends
// everything within the service manager's patience; SIGKILL at any moment is safe, only later.

import Foundation
import SluiceHTTPClient
import Synchronization

/// One account file, read.
package enum AccountLoad: Sendable {
    case plan(AccountPlan, fingerprint: String)
    /// The file is at fault; the text says where and how.
    case broken(name: String, reason: String)

    /// The name where no account file can be found at all.
    static let all = "(all)"

    package var name: String {
        switch self {
        case .plan(let plan, _): plan.name
        case .broken(let name, _): name
        }
    }
}

package actor Coordinator {
    package enum Signal: Sendable { case reload, stop }

    private let load: @Sendable () -> [AccountLoad]
    private let version: String
    private let progress: @Sendable () -> Void
    private let log: @Sendable (LogLine) -> Void
    private var running: [String: (runtime: AccountRuntime, fingerprint: String)] = [:]
    /// Accounts whose directories are being locked and opened.
    private var opening: Set<String> = []
    private var isStopping = false
    private var clients: [HTTPClientConfiguration.Key: HTTPClient] = [:]

    /// - Parameters:
    ///   - progress: called while something long makes progress.
    ///   - load: reads the configuration; called at start and on each reload.
    package init(
        version: String, progress: @escaping @Sendable () -> Void, log: @escaping @Sendable (LogLine) -> Void,
        load: @escaping @Sendable () -> [AccountLoad]
    ) {
        self.version = version
        self.progress = progress
        self.log = log
        self.load = load
    }

    /// Works until a stop signal. Returns how many accounts could not be started.
    /// - Parameters:
    ///   - endsWithoutAccounts: whether to return at once when no account could be started at all.
    ///   - ready: called once, when every account that can be started is.
    ///   - stopping: called when a stop signal came, before the accounts end.
    @discardableResult
    package func run(
        signals: some AsyncSequence<Signal, Never> & Sendable, endsWithoutAccounts: Bool = false, ready: @Sendable () -> Void,
        stopping: @Sendable () -> Void
    ) async -> Int {
        await withDiscardingTaskGroup { group in
            var failures = await start(load(), in: &group)
            if endsWithoutAccounts, running.isEmpty { return failures }
            ready()
            for await signal in signals {
                guard signal == .reload else { break }
                log(.notice("reading the configuration again"))
                failures = await reload(in: &group)
            }
            stopping()
            isStopping = true
            for entry in running.values { entry.runtime.announceStop() }
            for entry in running.values { await entry.runtime.stop() }
            return failures
        }
    }

    private func start(_ loads: [AccountLoad], in group: inout DiscardingTaskGroup) async -> Int {
        var failures = 0
        var openingCount = 0
        let (results, opened) = AsyncStream<Bool>.makeStream()
        for load in loads {
            switch load {
            case .broken(let name, let reason):
                log(.error("account \(name) is not started: \(reason)"))
                failures += 1
            case .plan(let plan, let fingerprint):
                guard running[plan.name] == nil, opening.insert(plan.name).inserted else { continue }
                do {
                    let runtime = AccountRuntime(plan, http: try client(for: plan), version: version, progress: progress, log: log)
                    openingCount += 1
                    group.addTask { await self.keepRunning(runtime, fingerprint) { opened.yield($0) } }
                } catch {
                    opening.remove(plan.name)
                    log(.error("account \(plan.name) is not started: \(error)"))
                    failures += 1
                }
            }
        }
        return await failures + Self.failureCount(in: results, of: openingCount, opened)
    }

    /// A state directory on a disk that does not answer is waited for no longer; its account starts whenever it can.
    private static let openPatience: Duration = .seconds(20)

    /// How many of so many accounts could not be opened.
    private static func failureCount(in results: AsyncStream<Bool>, of count: Int, _ opened: AsyncStream<Bool>.Continuation) async -> Int {
        guard count > 0 else { return 0 }
        let end = Task {
            try await Task.sleep(for: openPatience)
            opened.finish()
        }
        defer { end.cancel() }
        var failures = 0
        var left = count
        for await isOpen in results {
            left -= 1
            if !isOpen { failures += 1 }
            if left == 0 { break }
        }
        return failures
    }

    /// Opens an account and runs it to its end; all accounts do so beside one another.
    private func keepRunning(_ runtime: AccountRuntime, _ fingerprint: String, opened: @Sendable (Bool) -> Void) async {
        do { try await runtime.open() } catch {
            log(.error("account \(runtime.name) is not started: \(error)"))
            opening.remove(runtime.name)
            return opened(false)
        }
        opening.remove(runtime.name)
        running[runtime.name] = (runtime, fingerprint)
        if isStopping { await runtime.stop() }
        opened(true)
        await runtime.run()
        if running[runtime.name]?.runtime === runtime { running[runtime.name] = nil }
        finished[runtime.name]?.resume()
        finished[runtime.name] = nil
    }

    private var finished: [String: CheckedContinuation<Void, Never>] = [:]

    private func reload(in group: inout DiscardingTaskGroup) async -> Int {
        let loads = load()
        let wanted = Dictionary(
            loads.compactMap { load in
                if case .plan(let plan, let fingerprint) = load { (plan.name, fingerprint) } else { nil }
            }, uniquingKeysWith: { first, _ in first })
        var broken: [String: String] = [:]
        for case .broken(let name, let reason) in loads { broken[name] = reason }
        for (name, entry) in running.sorted(by: { $0.key < $1.key }) {
            // A file that is being edited and cannot be read just now is no reason to stop what runs.
            if let reason = broken[name] ?? broken[AccountLoad.all] {
                log(.error("account \(name) goes on as it was: \(reason)"))
                continue
            }
            if wanted[name] == entry.fingerprint {
                await entry.runtime.retryNow()
            } else {
                await stopAndWait(name, entry.runtime)
            }
        }
        return await start(loads.filter { running[$0.name] == nil && !opening.contains($0.name) }, in: &group)
    }

    private func stopAndWait(_ name: String, _ runtime: AccountRuntime) async {
        await withCheckedContinuation { continuation in
            finished[name] = continuation
            Task { await runtime.stop() }
        }
    }

    /// Accounts with the same way out share one client, its connections and its thread.
    private func client(for plan: AccountPlan) throws -> HTTPClient {
        let key = plan.http.key
        if let client = clients[key] { return client }
        let client = try HTTPClient(plan.http)
        clients[key] = client
        return client
    }
}
