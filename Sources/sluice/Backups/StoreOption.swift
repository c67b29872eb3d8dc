import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// The store that a command is about: an account's, or a file.
struct StoreOption: Sendable {
    static let help = "A store's file, instead of an account's."

    private let account: AccountOption
    private let path: String?

    init(_ arguments: Arguments, path: String?) {
        account = AccountOption(arguments)
        self.path = path
    }

    /// The absolute path of the store, and what messages call it.
    func store() throws -> (path: String, name: String) {
        if let path {
            let absolute = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
            return (absolute, absolute)
        }
        let configuration = try account.configuration()
        return (StateDirectory.storePath(in: configuration.synced.stateDirectory), "account \(configuration.name)")
    }
}
