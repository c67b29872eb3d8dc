// What a scenario's steps do.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

extension Simulation {
    /// - Parameter number: makes the values of an edit different from those of all others.
    func take(_ step: Scenario.Step, _ number: Int) async throws {
        let draw = SeededRandom(UInt64(step.draw))
        let device = devices[step.device % devices.count]
        switch step.action {
        case .edit, .delete: try edit(step, number, device, draw)
        case .poll:
            guard device.isUp else { return }
            note("device \(device.index) polls")
            try handle(.shouldPull, device)
            try handle(.changedLocally, device)
        case .crash:
            guard device.isUp else { return }
            strike(.crash, device)
            try restart(device, after: max(1, step.amount))
        case .crashInTransaction: if device.isUp { device.questionsLeft = step.amount }
        case .losePower:
            guard device.isUp else { return }
            strike(.powerLoss, device)
            try losePower(device, after: max(1, step.amount))
        case .losePowerInTransaction: if device.isUp { (device.questionsLeft, device.losesPower) = (step.amount, true) }
        case .failWrites: device.failWrites(after: step.amount)
        case .fillDisk: device.fullUntil = clock.now + step.amount
        case .moveClock: moveClock(of: device, by: step.amount)
        case .partition, .partitionOutward, .partitionInward: part(step, device)
        case .pause, .resume: try pause(device, step.action == .pause)
        case .look: for fault in try device.look() { violate(fault) }
        case .backUpDevice, .restoreDevice, .cloneDevice, .loseState, .upgrade: try await changeDevice(step, device)
        case .switchAccount, .switchBack, .revokeToken, .renewToken: try await changeAccount(step, device)
        case .foreignWrite: try await writeForeign(number, draw)
        case .deleteZone: try await deleteZone(step.amount == 1 ? .purged : step.amount == 2 ? .encryptedDataReset : .deleted)
        case .remakeZone:
            guard try await service.contents(user: 0) == nil else { return }
            for device in devices { strike(.zoneRemade, device) }
            try await service.makeZone(user: 0)
            zoneIsDeleted = false
            note("somebody makes the zone again")
        default: try await changeService(step, draw)
        }
    }

    // MARK: The zone

    private func deleteZone(_ reason: ZoneDeletionReason) async throws {
        guard try await service.deleteZone(user: 0, reason) else { return }
        let fault: Fault = switch reason {
        case .deleted: .zoneDeleted
        case .purged: .zonePurged
        case .encryptedDataReset: .encryptedDataReset
        }
        for device in devices { strike(fault, device) }
        (model.laterWins, model.importsYield, model.deletionsStay) = (false, true, false)
        if reason != .encryptedDataReset {
            model.zoneWent()
            cards.zoneWent()
        }
        watch.serviceLostMemory()
        // Of the others the rows may be sent again, or something new. And a device that has never seen the zone makes it, as it has to.
        zoneIsDeleted = try reason == .deleted && devices.allSatisfy { try $0.journal?.token != nil }
        note("the zone is gone: \(reason.rawValue)")
    }

    // MARK: People

    private func edit(_ step: Scenario.Step, _ number: Int, _ device: SimulatedDevice, _ draw: SeededRandom) throws {
        guard let store = device.store else { return }
        let edit: RunEdit
        switch (step.edit, step.action) {
        case (let named?, .delete): edit = .delete(RecordName(named.record))
        case (let named?, _): edit = RunEdit(named)
        case (nil, .delete):
            guard let name = draw.pick(try device.rows().keys.sorted()) else { return }
            edit = .delete(RecordName(name))
        case (nil, _): edit = .random(store, draw, step: number)
        }
        let before = try device.rows()
        strike(.edit, device)
        do {
            try device.onDisk(at: clock.now) { try edit.carryOut(on: store) }
        } catch is ProcessDeath {
            // Nobody was told that it was saved; it may be all the same.
            let after = try device.rows()
            note("device \(device.index) \(edit): the process ends before it is said to be saved")
            tell(edit, before, after, device)
            return try die(device)
        } catch {
            return note("device \(device.index) \(edit): \(text(of: error))")
        }
        note("device \(device.index) \(edit)")
        tell(edit, before, try device.rows(), device)
        schedule(.changed, device, after: random.between(20, 1_500))
        guard step.edit == nil, step.action == .edit else { return }
        try count(device, SeededRandom(UInt64(step.draw) &+ 0xC0_0147))
        if device.isUp { try play(device, SeededRandom(UInt64(step.draw) &+ 0xCA_4D5), number) }
    }

    /// Somebody counts something; drawn apart from all else.
    private func count(_ device: SimulatedDevice, _ draw: SeededRandom) throws {
        guard let store = device.store, draw.chance(50) else { return }
        let before = try device.rows()
        guard let (name, row) = draw.pick(before.filter { $0.value.entity == "Note" || $0.value.entity == "Topic" }.sorted { $0.key < $1.key })
        else { return }
        let sum = (row.fields["count"].flatMap(Int64.init) ?? 0) + Int64(1 + draw.below(9))
        do {
            try device.onDisk(at: clock.now) {
                try store.write { _ = try store.put(row.entity, name: RecordName(name), RowEdit(attributes: ["count": .integer(sum)])) }
            }
        } catch is ProcessDeath { return try die(device) } catch { return note("device \(device.index) counts \(name): \(text(of: error))") }
        note("device \(device.index) counts \(name) to \(sum)")
        model.edited(before, try device.rows(), device: device.index, at: clock.now, by: .person)
    }

    private func tell(_ edit: RunEdit, _ before: [String: DeviceRow], _ after: [String: DeviceRow], _ device: SimulatedDevice) {
        let author: ReferenceModel.Author = edit.isImport ? .program : device.clock.skew == 0 && !edit.isUntimed ? .person : .personOutOfTime
        model.edited(before, after, device: device.index, at: clock.now, by: author, renewing: edit.renewed)
        cards.edited(before, after, device: device.index, at: clock.now)
    }

    private func pause(_ device: SimulatedDevice, _ isPaused: Bool) throws {
        guard let store = device.store else { return }
        if isPaused { strike(.pause, device) }
        try store.setSyncValue(.integer(isPaused ? 1 : 0), for: .paused)
        note("device \(device.index) is \(isPaused ? "paused" : "resumed")")
        try handle(isPaused ? .pause : .resume, device)
    }

    private func moveClock(of device: SimulatedDevice, by amount: Int64) {
        strike(amount < 0 ? .clockBack : .clockForward, device)
        device.clock.skew += amount
        note("the clock of device \(device.index) is \(device.clock.skew) ms fast")
    }

    private func part(_ step: Scenario.Step, _ device: SimulatedDevice) {
        let until = clock.now + step.amount
        let fault: Fault = step.action == .partition ? .partition : step.action == .partitionOutward ? .partitionOutward : .partitionInward
        strike(fault, device)
        if step.action != .partitionInward { outwardUntil[device.index] = until }
        if step.action != .partitionOutward { inwardUntil[device.index] = until }
        note("device \(device.index): \(fault.rawValue) for \(step.amount) ms")
    }

    // MARK: Devices

    private func changeDevice(_ step: Scenario.Step, _ device: SimulatedDevice) async throws {
        guard device.isUp else { return }
        let phase = device.phase
        switch step.action {
        case .backUpDevice:
            try device.stop()
            try device.backUp()
            backupTimes[device.index] = clock.now
            note("device \(device.index) is backed up")
        case .restoreDevice:
            guard let backup = device.backup, let time = backupTimes[device.index] else { return }
            coverage.note(.deviceRestored, phase)
            try device.stop()
            try device.restore(from: backup)
            model.restored(device: device.index, to: time)
            cards.restored(device: device.index, to: time)
            note("an older copy is put in the place of device \(device.index)'s store")
        case .cloneDevice:
            guard devices.count < 4 else { return }
            coverage.note(.deviceCloned, phase)
            try device.stop()
            let clone = try addDevice()
            try Connection.copyDatabase(from: device.path, to: clone.path, checking: .pages)
            clone.version = device.version
            model.countsAreExact = false
            watch.bodiesMayRepeat = true
            note("device \(clone.index) is a copy of device \(device.index)")
        case .loseState:
            coverage.note(.stateLost, phase)
            try device.stop()
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: device.path + suffix) {
                try FileManager.default.removeItem(atPath: device.path + suffix)
            }
            device.backup = nil
            model.restored(device: device.index, to: 0)
            cards.restored(device: device.index, to: 0)
            note("the store of device \(device.index) is lost")
        default:
            guard device.version < 2 else { return }
            coverage.note(.upgrade, phase)
            try device.stop()
            device.version = 2
            note("device \(device.index) has the next version")
        }
        schedule(.boot, device, after: 10)
    }

    private func changeAccount(_ step: Scenario.Step, _ device: SimulatedDevice) async throws {
        switch step.action {
        case .switchAccount, .switchBack:
            let user = step.action == .switchAccount ? 1 : 0
            guard device.user != user else { return }
            if user == 1 { strike(.accountSwitched, device) }
            device.user = user
            note("the token of device \(device.index) is \(SimulatedService.users[user])'s")
        default:
            device.tokenIsRevoked = step.action == .revokeToken
            note("the token of device \(device.index) is \(device.tokenIsRevoked ? "revoked" : "good again")")
        }
        guard device.isUp, step.action != .revokeToken else { return }
        // A person who changes the token says so; one who changes it while nothing runs need not.
        if step.amount == 0 { try restart(device, after: 10) } else { try handle(.retryNow, device) }
    }

    // MARK: The service

    private func changeService(_ step: Scenario.Step, _ draw: SeededRandom) async throws {
        switch step.action {
        case .restartService:
            for device in devices { strike(.serviceRestart, device) }
            service.restart()
            loseRequests()
            note("the service starts anew")
        case .failStorage: service.storage.fail(Int(step.amount))
        case .refuse:
            guard let name = step.edit?.record ?? draw.pick(model.knownNames) else { return }
            service.storage.refuse(name, forGood: step.amount == 0)
            note("the service refuses \(name)")
        case .accept:
            service.storage.heal()
            note("the service refuses nothing")
        case .throttle: service.throttledUntil = clock.now + step.amount
        case .fillQuota:
            let isFull = step.amount > 0
            if isFull { for device in devices { strike(.quotaFull, device) } }
            service.storage.fillQuota(isFull)
            note("the account's quota is \(isFull ? "used up" : "enough again")")
        case .passDays:
            for device in devices { strike(step.amount < 90 ? .ledgerForgotten : .tombstonesForgotten, device) }
            loseRequests()
            clock.move(to: clock.now + step.amount * 86_400_000)
            try await service.prune()
            note("\(step.amount) days pass")
        case .copyService:
            serviceCopies.append(try service.copy())
            note("the service's file is copied")
        case .restoreService:
            guard let copy = draw.pick(serviceCopies) else { return }
            for device in devices { strike(.serviceRestored, device) }
            loseRequests()
            try await service.restore(copy, announced: step.amount == 1)
            model.restoreCount += 1
            cards.serviceLostMemory()
            (model.laterWins, model.importsYield, model.deletionsStay) = (false, true, false)
            watch.serviceLostMemory()
            note("the service is put back to an older copy\(step.amount == 1 ? "" : " without a word")")
        default: return
        }
    }

    /// A client that writes whole values and has never heard of merge metadata.
    private func writeForeign(_ number: Int, _ draw: SeededRandom) async throws {
        let token = try await service.token(ofDevice: 99, user: 0)
        guard let contents = try await service.contents(user: 0) else { return }
        let live = contents.records.filter { !$0.isDeleted && ["Box", "Note"].contains($0.recordType) }.sorted { $0.recordName < $1.recordName }
        let text = "foreign \(number)"
        let old = draw.pick(live)
        let operation: RecordOperation
        switch (draw.below(4), old) {
        case (0, _), (_, nil):
            operation = RecordOperation(.create, Record(draw.uuid().uuidString, type: "Note", fields: ["text": Field(.string(text))]))
        case (1, let record?): operation = RecordOperation(.forceDelete, Record(record.recordName))
        case (_, let record?):
            operation = RecordOperation(.forceUpdate, Record(record.recordName, type: record.recordType, fields: ["text": Field(.string(text))]))
        }
        let body = try ModifyRequest(operations: [operation], zoneID: SimulatedService.zone).encoded()
        let answer = await service.answer(ExchangeRequest(.recordsModify, body: body), token: token, isForeign: true)
        guard !service.storage.report().taken.isEmpty else { return note("a foreign client is refused: \(answer.status)") }
        for device in devices { strike(.foreignWrite, device) }
        model.laterWins = false
        note("a foreign client: \(operation.kind.rawValue) \(operation.record.recordName)")
        let name = operation.record.recordName
        guard let old, old.recordName == name else {
            return model.foreignWrite(name, entity: "Note", field: "text", value: ModelText.of(text), over: nil, at: clock.now)
        }
        if operation.kind.deletes { return model.foreignDeletion(name, entity: old.recordType ?? "", at: clock.now) }
        var former = ""
        if case .string(let text)? = old.fields["text"]?.value { former = ModelText.of(text) }
        model.foreignWrite(name, entity: old.recordType ?? "", field: "text", value: ModelText.of(text), over: former, at: clock.now)
    }
}

extension RunEdit {
    init(_ named: Scenario.NamedEdit) {
        switch named.entity {
        case .note: self = .put("Note", RecordName(named.record), RowEdit(attributes: ["text": .string(named.text)]), .local)
        case .topic: self = .put("Topic", nil, RowEdit(attributes: ["key": .string(named.record), "text": .string(named.text)]), .local)
        case .tag: self = .put("Tag", RecordName(named.record), RowEdit(attributes: ["label": .string(named.text)]), .local)
        }
    }

    var isImport: Bool { if case .put(_, _, _, .import) = self { true } else { false } }
    /// Nobody knows when somebody typed it into a shell: it counts as made when it is noticed.
    var isUntimed: Bool { if case .sql = self { true } else { false } }
    var renewed: String? { if case .renew(_, let name, _) = self { name.text } else { nil } }
}
