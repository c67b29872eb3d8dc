// From a seed to a scenario. Seeds take turns at the pairs of fault and phase that have to meet, and at the themes, so that any range of a few
// hundred meets them all.

extension Scenario {
    /// The scenario of a seed.
    package static func drawn(from seed: UInt64, stepCount: Int = 36) -> Scenario {
        var drawing = Drawing(seed: seed)
        return drawing.scenario(stepCount: stepCount)
    }

    private struct Drawing {
        let seed: UInt64
        let random: SeededRandom
        let theme: Theme
        let deviceCount: Int
        let aim: Aim

        init(seed: UInt64) {
            self.seed = seed
            random = SeededRandom(seed)
            aim = Aim.all[Int(seed % UInt64(Aim.all.count))]
            theme = aim.theme ?? Theme.allCases[Int(seed % UInt64(Theme.allCases.count))]
            deviceCount = random.chance(60) ? 2 : 3
        }

        mutating func scenario(stepCount: Int) -> Scenario {
            var scenario = Scenario(seed: seed, theme: theme, deviceCount: deviceCount)
            if random.chance(15) { scenario.storage = .file }
            scenario.operations = random.pick([1, 2, 3, 7, 50, 200]) ?? 200
            if random.chance(10) { scenario.rate = 2 }
            if random.chance(25) { scenario.processes = 2 }
            scenario.network = network()
            scenario.aim = aim
            for _ in 0..<stepCount { scenario.steps.append(step()) }
            if aim.phase == .giveUp { scenario.steps.insert(contentsOf: longOutage, at: stepCount / 2) }
            if aim.phase == .reconcile {
                // Both have sent before either can have heard of the other.
                scenario.network = Network()
                scenario.network.delay = 3_000
                for place in [0, 1, 2] { scenario.steps.insert(contentsOf: conflict(over: "contended \(place)"), at: place * stepCount / 3) }
            }
            if theme == .forgetfulService, random.chance(50) { scenario.steps.insert(contentsOf: absence, at: stepCount / 2) }
            if theme == .restoredService, random.chance(50) { scenario.steps.insert(contentsOf: silentRestore, at: stepCount / 2) }
            if theme == .wrongClocks, random.chance(50) { scenario.steps.insert(contentsOf: fastClock, at: 0) }
            return scenario
        }

        /// A device is away for longer than tombstones are kept.
        private var absence: [Step] {
            [Step(.partition, device: 1, amount: 600_000), Step(.delete, after: 1_000, draw: 7), Step(.passDays, after: 20_000, amount: 91)]
        }

        /// What was acknowledged a moment ago is not in the copy that takes the service's place without a word.
        private var silentRestore: [Step] {
            let write = { (text: String, after: Int64) in Step(.edit, after: after, edit: .init(record: "recent", text: text)) }
            return [
                write("a", 1_000), Step(.copyService, after: 200_000), write("b", 1_000), Step(.restoreService, after: random.between(500, 9_000), amount: 0),
            ]
        }

        /// A clock that is fast by years, against one that is right and a little later.
        private var fastClock: [Step] {
            let write = { (device: Int, text: String, after: Int64) in
                Step(.edit, device: device, after: after, edit: .init(record: "contended", text: text))
            }
            return [
                write(0, "a", 1_000), Step(.partition, device: 1, after: 200_000, amount: 600_000), Step(.moveClock, amount: 86_400_000 * 3_650),
                write(0, "b", 1_000), Step(.poll, after: 5_000), write(1, "c", 400_000),
            ]
        }

        /// Operations wait for longer than the service remembers them.
        private var longOutage: [Step] {
            [
                Step(.edit, edit: .init(record: "far", text: "a")), Step(.partitionOutward, after: 1, amount: 86_400_000 * 9),
                Step(.poll, after: 3_000), Step(.passDays, after: 60_000, amount: 8),
            ]
        }

        /// Two people write the same, and neither has seen the other's.
        private func conflict(over record: String) -> [Step] {
            let write = { (device: Int, text: String, after: Int64) in Step(.edit, device: device, after: after, edit: .init(record: record, text: text)) }
            return [write(0, "a", 1), Step(.poll, device: 1, after: 30_000), write(0, "b", 30_000), write(1, "c", 0)]
        }

        private func network() -> Network {
            var network = Network()
            network.delay = random.pick([5, 100, 400, 3_000]) ?? 100
            for kind in Network.kinds where random.chance(theme == .roughNetwork ? 60 : 25) { network.faults[kind] = 1 + random.below(12) }
            return network
        }

        private func step() -> Step {
            var step = action()
            step.device = random.below(deviceCount)
            step.draw = UInt32(truncatingIfNeeded: random.next())
            // An operator who copies files back says nothing of it.
            if step.action == .restoreService, step.draw % 2 == 0 { step.amount = 0 }
            step.after = random.chance(10) ? random.between(60_000, 900_000) : random.between(1, random.chance(50) ? 200 : 5_000)
            return step
        }

        /// Milliseconds of a window in which something is wrong.
        private func window() -> Int64 { random.chance(30) ? random.between(60_000, 600_000) : random.between(200, 30_000) }

        private func action() -> Step {
            switch random.below(100) {
            case 0..<50: Step(.edit)
            case 50..<58: Step(.poll)
            case 58..<61: Step(.look)
            case 61..<66: Step(.crash, amount: random.chance(80) ? random.between(1, 3_000) : random.between(60_000, 3_600_000))
            case 66..<84: themed()
            case 84..<87: Step(random.pick([.partition, .partitionOutward, .partitionInward]) ?? .partition, amount: window())
            case 87..<89: Step(.crashInTransaction, amount: random.between(0, 300))
            case 89..<90: Step(.fillDisk, amount: window())
            case 90..<93: Step(.refuse, amount: random.chance(40) ? 0 : 1)
            case 93..<94: Step(.accept)
            case 94..<96: Step(.restartService)
            case 96..<97: Step(.failStorage, amount: random.between(1, 3))
            case 97..<98: Step(.throttle, amount: random.between(500, 20_000))
            case 98..<99: Step(.fillQuota, amount: random.chance(60) ? 1 : 0)
            default: Step(random.chance(50) ? .pause : .resume)
            }
        }

        private func themed() -> Step {
            switch theme {
            case .roughNetwork: Step(random.chance(50) ? .poll : .crash, amount: random.between(1, 500))
            case .brokenDisks:
                switch random.below(9) {
                case 0, 1: Step(.crashInTransaction, amount: random.between(0, 300))
                case 2: Step(.fillDisk, amount: window())
                case 3, 4: Step(.losePower, amount: random.between(1, 3_000))
                case 5, 6: Step(.losePowerInTransaction, amount: random.between(0, 300))
                case 7: Step(.failWrites, amount: random.between(0, 60))
                default: Step(.failStorage, amount: random.between(1, 3))
                }
            case .wrongClocks:
                Step(
                    .moveClock,
                    amount: (random.chance(50) ? 1 : -1)
                        * (random.pick([random.between(1, 400_000), 3_600_000, 86_400_000 * 9, 86_400_000 * 3_650]) ?? 1))
            case .restoredService:
                random.chance(50) ? Step(.copyService) : Step(.restoreService, amount: 1)
            case .forgetfulService:
                random.chance(55) ? Step(.edit) : Step(.passDays, amount: random.pick([1, 8, 91]) ?? 8)
            case .foreignClients: Step(.foreignWrite)
            case .oldBackups:
                Step(random.pick([.backUpDevice, .backUpDevice, .restoreDevice, .restoreDevice, .loseState]) ?? .backUpDevice)
            case .upgrades: Step(random.chance(40) ? .upgrade : .edit)
            case .accounts:
                Step(
                    random.pick([.switchAccount, .switchBack, .switchBack, .revokeToken, .renewToken, .renewToken, .fillQuota]) ?? .switchBack,
                    amount: random.chance(50) ? 1 : 0)
            case .deletedZone:
                switch random.below(8) {
                case 0, 1: Step(.deleteZone, amount: random.between(0, 2))
                case 2: Step(.remakeZone)
                default: Step(.edit)
                }
            }
        }
    }
}
