import SluiceData

// Observers, setters that are narrower than getters, computed properties, default expressions of every kind.

@Model
final class Errand {
    enum Status: String, Codable { case open, waiting, done }
    enum Priority: Int, Codable, Comparable {
        case low, normal, high

        static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    static let titleLimit = 80

    var title: String {
        willSet { history.append(newValue) }
        didSet {
            guard title.count > Errand.titleLimit else { return }
            title = String(title.prefix(Errand.titleLimit))
        }
    }
    var status: Status = .open {
        didSet(previous) {
            if previous != status, status == .done { finishedOn = .now }
        }
    }
    var priority: Priority = .normal
    var progress = 0.0 { didSet { progress = min(max(progress, 0), 1) } }
    private(set) var finishedOn: Date?
    private(set) var createdOn: Date = .now
    private var secret = UUID().uuidString
    fileprivate var remindAfter: TimeInterval = 60 * 60 * 24
    var token: String = { (0..<4).map { String($0) }.joined() }()
    var limit: Int = max(3, Errand.titleLimit / 20)
    var place: Place = .init(latitude: 48.1, longitude: 11.6)
    var tags: [String] = ["home", "car"].map { $0.uppercased() }
    var parent: Errand? = nil
    @Relationship(deleteRule: .cascade, inverse: \Errand.parent) var children: [Errand]? = []

    /// What the title was to be, in this run.
    @Transient var history: [String] = []
    @Transient var isSelected = false

    init(title: String, priority: Priority = .normal) {
        self.title = title
        self.priority = priority
    }

    var isOverdue: Bool { status != .done && Date.now.timeIntervalSince(createdOn) > remindAfter }

    var depth: Int {
        get { (parent?.depth ?? -1) + 1 }
        set { if newValue == 0 { parent = nil } }
    }

    lazy var slug: String = title.lowercased()

    func finish() {
        status = .done
        progress = 2
    }

    struct Place: Codable, Equatable {
        var latitude, longitude: Double
    }
}
