// Carrying out the core's effects. Each one ends in one event; a store step is synchronous on the account's thread, a request suspends and other
// work goes on meanwhile. What the steps are stands in SyncExchange.

import SluiceRecords
import SluiceSync

extension AccountRuntime {
    func perform(_ effect: SyncEffect) async {
        do {
            guard let report = try await carryOut(effect) else { return }
            counters.count(report)
            show(report)
            if let event = report.event { handle(event) }
        } catch let failure as RequestFailure {
            counters.count(failure)
            guard let exchange = session?.exchange else { return }
            handle(exchange.event(for: failure, of: effect))
        } catch is CancellationError {
            return
        } catch {
            counters.countStoreFailure()
            handle(SyncExchange.event(forStoreFailure: error))
        }
    }

    private func carryOut(_ effect: SyncEffect) async throws -> SyncReport? {
        guard let exchange = session?.exchange else { return nil }
        if case .beginFullFetch(let reason) = effect {
            log(.notice("account \(name): fetching everything again (\(reason.text))"))
        }
        if case .leaveZone(let reason) = effect {
            log(.warning("account \(name): the zone is gone from the service (\(reason.rawValue)): its rows go, what was not sent is kept; see `sluice status`"))
        }
        switch try exchange.begin(effect, at: milliseconds) {
        case .done(let report): return report
        case .request(let request):
            counters.count(request)
            let answer = try await client.exchange(request)
            return try exchange.finish(effect, with: answer, at: milliseconds)
        case .wait(let time):
            try await Task.sleep(for: .milliseconds(max(0, time - milliseconds)))
            return SyncReport(.woke)
        }
    }

    private func show(_ report: SyncReport) {
        if case .answered(_, let summary)? = report.event, summary.setAsideCount > 0 {
            log(.warning("account \(name): the service refused \(summary.setAsideCount) records for good; see `sluice status`"))
        }
        if case .answered(_, let summary)? = report.event, summary.metadataWasRefused {
            log(.warning("account \(name): the service takes no merge metadata: of two edits of the same its own stands; see `sluice status`"))
        }
        guard let page = report.page, page.appliedCount + page.deletedCount > 0 else { return }
        log(
            .info(
                "account \(name): pulled \(page.appliedCount) records and \(page.deletedCount) deletions, "
                    + "\(page.conflictCount) fields in conflict, \(page.inboxCount) records wait"))
        projectChanges()
    }
}
