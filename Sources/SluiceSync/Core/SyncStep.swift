/// What the core waits for the end of.
enum SyncStep: Sendable, Hashable {
    case none
    case identifying
    case creatingZone
    case beginningFullFetch
    case leavingZone
    case pulling
    case finishing
    case reconciling
    case freezing
    case sending

    /// As people are told.
    var state: SyncState {
        switch self {
        case .none: .idle
        case .identifying, .creatingZone, .beginningFullFetch, .leavingZone, .pulling, .finishing: .pulling
        case .reconciling, .freezing, .sending: .pushing
        }
    }
}
