// What `sluice doctor` looks at, account by account. It reads, and changes nothing: an account may run meanwhile. Whether the service can
// be reached is the coordinator's to say (`sluice status`).

import CShims
import Foundation
import Glibc
package import SluiceConfiguration
import SluiceSchema
import SluiceStore

/// Finds what is wrong with one account.
package struct AccountHealth {
    private let account: AccountConfiguration
    private let isDeep: Bool
    private let directory: String
    private let store: String

    /// A log that is larger than a coordinator lets it grow.
    private static let logByteCountMax = 256 * 1_048_576

    /// - Parameter isDeep: also reads all of the store and of its values.
    package init(_ account: AccountConfiguration, isDeep: Bool) {
        self.account = account
        self.isDeep = isDeep
        directory = account.synced.stateDirectory
        store = StateDirectory.storePath(in: directory)
    }

    package func findings() -> [HealthFinding] {
        let directories = DirectoryHealth(user: user)
        var findings = directories.state(directory)
        findings += account.groups.flatMap { directories.group($0.groupDirectory, unixGroup: $0.unixGroup) }
        findings += [account.credentials.apiToken, account.credentials.userToken, account.credentials.serverKey].compactMap { source in
            if case .file(let path)? = source { directories.secret(path) } else { nil }
        }
        findings += [directories.secret(directory + "/token")].compactMap(\.self)
        findings += examination() + leftovers()
        return findings.map { finding in
            var finding = finding
            finding.account = account.name
            return finding
        }
    }

    /// What is wrong with account files that cannot be used.
    package static func findings(in error: ConfigurationError, account: String) -> [HealthFinding] {
        error.faults.map { fault in
            // A secret's path stands in the account file relative to it.
            let secret = fault.found.wholeMatch(of: /`(.+)` with mode [0-7]+, which others may read/)?.1
            let path = secret.map { URL(filePath: String($0), relativeTo: URL(filePath: fault.file).deletingLastPathComponent()).path }
            let remedy = path.map { "chmod 600 \(shellWord($0))" } ?? "edit \(shellWord(fault.file)), then `sluice config check`"
            var finding = HealthFinding(.fault, "\(fault)", remedy: remedy)
            finding.account = account
            return finding
        }
    }

    /// What concerns the whole machine.
    package static func machine() -> [HealthFinding] {
        guard sluice_clock_is_unsynchronized() == 1 else { return [] }
        return [
            HealthFinding(
                .warning, "the clock follows no time server: of two edits of one field, the wrong one may count as the later",
                remedy: "timedatectl set-ntp true")
        ]
    }

    /// Whose the account is. What somebody did there as root leaves files of root's, so another user's name counts first.
    private var user: uid_t {
        let owners = [directory, store].compactMap { path -> uid_t? in
            var status = stat()
            return stat(path, &status) == 0 ? status.st_uid : nil
        }
        return owners.first { $0 != 0 } ?? owners.first ?? geteuid()
    }

    // MARK: The store

    private func examination() -> [HealthFinding] {
        guard FileManager.default.fileExists(atPath: store) else { return [] }
        let store = StoreExamination(ofStoreAt: self.store, isDeep: isDeep)
        if let format = store.newerFormat {
            let finding = "\(self.store) has format \(format), which this program does not know"
            return [HealthFinding(.fault, finding, remedy: "update Sluice's programs")]
        }
        if let obstacle = store.obstacle {
            let remedy = "sudo -u \(shellWord(DirectoryHealth.name(ofUser: user))) sluice doctor --account \(shellWord(account.name))"
            return [HealthFinding(.fault, "\(self.store) cannot be read (\(obstacle))", remedy: remedy)]
        }
        var findings = store.faults.prefix(1).map { fault in
            let more = store.faults.count > 1 ? " and \(store.faults.count - 1) more" : ""
            return HealthFinding(.damage, "\(self.store) is damaged (\(fault)\(more))", remedy: mending)
        }
        if let owner = store.owner, owner != "account \(account.name)" {
            findings.append(
                HealthFinding(
                    .fault, "\(self.store) belongs to \(owner), not to account \(account.name)",
                    // With its log and its values: what was committed last may be in the log alone.
                    remedy: "stop the coordinator && mv \(shellWord(directory)) \(shellWord(directory)).foreign"))
        }
        findings += [newerSchema(store), largeLog(store)].compactMap(\.self)
        return findings
    }

    /// The newest sound backup, where there is one.
    private var mending: String {
        // Backups that cannot be listed are no help.
        let backups = (try? StoreBackup.all(of: store)) ?? []
        guard let backup = backups.last(where: { $0.kind != .beforeRestore && $0.details().fault == nil }) else {
            return "stop the coordinator && mv \(shellWord(directory)) \(shellWord(directory)).damaged"
        }
        return "stop the coordinator && sluice restore \(shellWord(backup.name)) --account \(shellWord(account.name)) --yes"
    }

    private func newerSchema(_ store: StoreExamination) -> HealthFinding? {
        guard case .versions(let versions) = account.schema, let newest = versions.last?.schema, let text = store.schemaVersion,
            let held = SchemaVersion(text), held > newest.version
        else { return nil }
        return HealthFinding(
            .fault, "\(self.store) holds version \(held) of its schema, newer than \(newest.version), the newest that is configured",
            remedy: "bring the schema files up to date: \(held).yaml is missing")
    }

    private func largeLog(_ store: StoreExamination) -> HealthFinding? {
        guard store.logByteCount > Self.logByteCountMax else { return nil }
        return HealthFinding(
            .warning, "\(self.store)-wal has \(store.logByteCount / 1_048_576) MiB: a program has been reading the store for a long time",
            remedy: "fuser -v \(shellWord(self.store))")
    }

    // MARK: What killed programs left

    private func leftovers() -> [HealthFinding] {
        var paths = StoreExamination.leftovers(ofStoreAt: store) + StoreUpgrade.abandonedRehearsals(ofStoreAt: store)
        if !isRunning {
            for group in account.groups { paths += partial(in: group.groupDirectory + "/Legacy") }
            paths += [store + ".importing"].filter(FileManager.default.fileExists)
        }
        return paths.map { HealthFinding(.warning, "\($0) was left by a program that was killed", remedy: "rm -r \(shellWord($0))") }
    }

    /// By the number in the lock's file: taking the lock to see would refuse a coordinator that starts just then.
    private var isRunning: Bool {
        // A file that cannot be read says nothing.
        let text = (try? String(contentsOfFile: directory + "/coordinator.lock", encoding: .utf8)) ?? ""
        guard let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
        return FileManager.default.fileExists(atPath: "/proc/\(process)")
    }

    private func partial(in folder: String) -> [String] {
        // Mostly there is no such folder.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".partial") }.sorted().map { "\(folder)/\($0)" }
    }
}
