/// The top of the record service's file.
enum RecordServiceKey: String, SectionKey {
    case listen
    case dataDirectory
    case storage
    case storageConnections
    case limits
    case rate
    case quota
}

enum ListenKey: String, SectionKey {
    case address
    case port
    case certificateFile
    case keyFile
}

enum LimitsKey: String, SectionKey {
    case requestBytes
    case assetBytes
    case operations
    case connections
    case requestTime
}

enum RateKey: String, SectionKey {
    case requestsPerSecond
    case burst
}

enum QuotaKey: String, SectionKey {
    case bytesPerUser
}
