import Foundation

/// Two stores of real devices. They are test data that not every checkout has beside it.
enum RealFile: String, CaseIterable {
    case notes = "NoteStore.sqlite"
    case screenTime = "RMAdminStore-Local.sqlite"

    /// Beside the package's root, which is four levels above this file.
    static let folder = URL(fileURLWithPath: #filePath + "/../../../../../shared/legacy-stores").standardizedFileURL.path
    static let areThere = allCases.allSatisfy { FileManager.default.fileExists(atPath: folder + "/" + $0.rawValue) }

    /// From the README beside the files.
    var counts: [String: Int] {
        switch self {
        case .notes:
            [
                "ICCloudState": 31, "ICDeviceMigrationState": 16, "ICNote": 8, "ICNoteData": 8, "ICServerChangeToken": 4, "ICFolder": 3,
                "ICAccount": 1,
            ]
        case .screenTime:
            [
                "UsageBlock": 744, "UsageCategory": 497, "UsageCountedItem": 719, "UsageTimedItem": 777, "InstalledApp": 156, "Usage": 3,
                "UserDeviceState": 3,
            ]
        }
    }

    func copy(to place: Workplace) throws {
        try FileManager.default.copyItem(atPath: Self.folder + "/" + rawValue, toPath: place.source + "/" + rawValue)
    }
}
