// Who may go where: the state directory is the coordinator's alone, the group container its helpers' too, and every directory on the way to
// it lets them pass.

import Foundation
import Glibc
import SluiceGroup

/// Looks at modes and owners; changes and opens nothing.
struct DirectoryHealth {
    /// The user whose coordinator keeps the account: the owner of its store, where there is one.
    let user: uid_t

    private func status(_ path: String) -> stat? {
        var status = Glibc.stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private func mode(_ status: stat) -> String { String(status.st_mode & 0o7777, radix: 8) }

    static func name(ofUser user: uid_t) -> String { getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)" }
    private func name(ofGroup group: gid_t) -> String { getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "\(group)" }

    func state(_ path: String) -> [HealthFinding] {
        // Before the first start there is none.
        guard let status = status(path) else { return [] }
        var findings: [HealthFinding] = []
        if status.st_uid != user {
            let (owner, wanted) = (Self.name(ofUser: status.st_uid), Self.name(ofUser: user))
            findings.append(
                HealthFinding(
                    .fault, "the state directory \(path) belongs to \(owner), its coordinator runs as \(wanted)",
                    remedy: "chown -R \(shellWord(wanted)): \(shellWord(path))"))
        }
        if status.st_mode & 0o7777 != 0o700 {
            let finding = "the state directory \(path) has mode \(mode(status)), not 700"
            findings.append(HealthFinding(.fault, finding, remedy: "chmod 700 \(shellWord(path))"))
        }
        return findings + foreignFiles(in: path)
    }

    /// Files of another user in a directory that is the coordinator's: somebody else ran a program there.
    private func foreignFiles(in path: String) -> [HealthFinding] {
        let foreign = contents(of: path).filter { $0.status.st_uid != user }
        guard let first = foreign.first, status(path)?.st_uid == user else { return [] }
        let (owner, wanted) = (Self.name(ofUser: first.status.st_uid), Self.name(ofUser: user))
        return [
            HealthFinding(
                .fault, "\(first.path)\(Self.more(foreign.count)) belongs to \(owner), its coordinator runs as \(wanted)",
                remedy: "chown -R \(shellWord(wanted)) \(shellWord(path))")
        ]
    }

    private static func more(_ count: Int) -> String { count > 1 ? " (and \(count - 1) more)" : "" }

    /// What lies in a directory, folders within it included; nothing where it may not be read.
    private func contents(of path: String) -> [(path: String, status: stat)] {
        // A directory that is not there, or not for us, is another finding's.
        let names = (try? GroupDirectory.names(in: path))?.sorted() ?? []
        return names.flatMap { name -> [(path: String, status: stat)] in
            let place = "\(path)/\(name)"
            var status = Glibc.stat()
            guard lstat(place, &status) == 0 else { return [] }
            return [(place, status)] + (status.st_mode & S_IFMT == S_IFDIR ? contents(of: place) : [])
        }
    }

    /// The container itself.
    func group(_ path: String, unixGroup: String?) -> [HealthFinding] {
        var findings: [HealthFinding] = []
        var wanted: gid_t?
        if let unixGroup {
            guard let entry = getgrnam(unixGroup) else {
                return [HealthFinding(.fault, "there is no unix group \(unixGroup)", remedy: "groupadd \(shellWord(unixGroup))")]
            }
            wanted = entry.pointee.gr_gid
            if let wanted, user != 0, !isMember(wanted) {
                let name = Self.name(ofUser: user)
                findings.append(
                    HealthFinding(
                        .fault, "\(name) is no member of unix group \(unixGroup), and cannot give it the group container",
                        remedy: "usermod -aG \(shellWord(unixGroup)) \(shellWord(name))"))
            }
        }
        guard let status = status(path) else { return findings }
        if let wanted, let unixGroup, status.st_gid != wanted {
            findings.append(
                HealthFinding(
                    .fault, "the group container \(path) belongs to group \(name(ofGroup: status.st_gid)), not \(unixGroup)",
                    remedy: "chgrp \(shellWord(unixGroup)) \(shellWord(path)) && chmod 2750 \(shellWord(path))"))
        }
        if status.st_mode & 0o7777 != 0o2750 {
            let finding = "the group container \(path) has mode \(mode(status)), not 2750"
            findings.append(HealthFinding(.fault, finding, remedy: "chmod 2750 \(shellWord(path))"))
        }
        return findings + contents(ofGroup: path, unixGroup: wanted ?? status.st_gid) + foreignFiles(in: path)
            + closedParents(of: path, helpers: wanted ?? status.st_gid)
    }

    /// What helpers read: wrong modes keep them out, or let others in.
    private func contents(ofGroup path: String, unixGroup: gid_t) -> [HealthFinding] {
        let external = "\(path)/\(GroupDirectory.externalFolderName)"
        let files = contents(of: path).filter { entry in
            if entry.path == external || entry.path.hasPrefix(external + "/") { return true }
            let name = entry.path.dropFirst(path.count + 1)
            return !name.contains("/") && GroupDirectory.isForHelpers(String(name))
        }
        func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }
        var findings: [HealthFinding] = []
        for (folders, mode) in [(false, GroupDirectory.fileMode), (true, GroupDirectory.folderMode)] {
            let wrong = files.filter { isFolder($0.status) == folders && $0.status.st_mode & 0o7777 != mode }
            guard let first = wrong.first else { continue }
            let wanted = String(mode, radix: 8)
            let remedy = "\(Self.find(in: path)) -type \(folders ? "d" : "f") -exec chmod \(wanted) {} +"
            findings.append(
                HealthFinding(
                    .fault, "\(first.path)\(Self.more(wrong.count)) has mode \(self.mode(first.status)), not \(wanted)", remedy: remedy))
        }
        let strange = files.filter { $0.status.st_gid != unixGroup }
        if let first = strange.first {
            findings.append(
                HealthFinding(
                    .fault, "\(first.path)\(Self.more(strange.count)) belongs to group \(name(ofGroup: first.status.st_gid)), not "
                        + name(ofGroup: unixGroup),
                    remedy: "\(Self.find(in: path)) -exec chgrp -h \(shellWord(name(ofGroup: unixGroup))) {} + && "
                        + "\(Self.find(in: path)) -type d -exec chmod 2750 {} +"))
        }
        return findings
    }

    /// Everything that helpers read, and what the coordinator writes before it takes its place; never what a link leads to.
    private static func find(in path: String) -> String { "find \(shellWord(path)) -path \(shellWord(path + "/Legacy")) -prune -o" }

    private func isMember(_ group: gid_t) -> Bool {
        guard let entry = getpwuid(user) else { return false }
        var count: Int32 = 65_536
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0 else { return false }
        return groups.prefix(Int(count)).contains(group)
    }

    /// Directories on the way that let neither everybody nor the helpers' group pass.
    private func closedParents(of path: String, helpers: gid_t) -> [HealthFinding] {
        var findings: [HealthFinding] = []
        var parent = ""
        for name in path.split(separator: "/").dropLast() {
            parent += "/\(name)"
            guard let status = status(parent), status.st_mode & 0o001 == 0 else { continue }
            if status.st_gid == helpers, status.st_mode & 0o010 != 0 { continue }
            findings.append(
                HealthFinding(
                    .fault, "\(parent) has mode \(mode(status)) and lets no helper pass to the group container \(path)",
                    remedy: "chmod o+x \(shellWord(parent))"))
        }
        return findings
    }

    /// A secret that others may read.
    func secret(_ path: String) -> HealthFinding? {
        guard let status = status(path), status.st_mode & 0o077 != 0 else { return nil }
        let finding = "\(path) holds a token and has mode \(mode(status)): others may use it"
        return HealthFinding(.fault, finding, remedy: "chmod 600 \(shellWord(path))")
    }
}
