/// Failing disks and deaths on demand exist in debug builds only.
enum BuildKind {
    #if DEBUG
        static let failsOnDemand = true
    #else
        static let failsOnDemand = false
    #endif
}
