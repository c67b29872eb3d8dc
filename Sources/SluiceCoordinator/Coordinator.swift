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
            for entry in running.values { entry.runtime.announceStop() }
            for entry in running.values { await entry.runtime.stop() }
            return failures
        }
    }

    private func start(_ loads: [AccountLoad], in group: inout DiscardingTaskGroup) async -> Int {
        var failures = 0
        for load in loads {
            switch load {
            case .broken(let name, let reason):
                log(.error("account \(name) is not started: \(reason)"))
                failures += 1
            case .plan(let plan, let fingerprint):
                guard running[plan.name] == nil else { continue }
                do {
                    let runtime = AccountRuntime(plan, http: try client(for: plan), version: version, progress: progress, log: log)
                    try await runtime.open()
                    running[plan.name] = (runtime, fingerprint)
                    group.addTask { await self.keepRunning(runtime) }
                } catch {
                    log(.error("account \(plan.name) is not started: \(error)"))
                    failures += 1
                }
            }
        }
        return failures
    }

    private func keepRunning(_ runtime: AccountRuntime) async {
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
        return await start(loads.filter { running[$0.name] == nil }, in: &group)
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
