import Foundation
import SluiceCommandLine
import SluiceCoordinator
import SluiceReader

/// Which values a command is about: those that helpers of a group container read, or those that all devices share.
struct DefaultsOptions: Sendable {
    static let key = Parameter<String>.positional("KEY", .one, help: "1 to 64 bytes of UTF-8.")
    static let group = Parameter<String>.option(
        "group", short: "g", value: "NAME", help: "One of the account's group containers. Default: all of them.")
    static let synced = Flag("synced", help: "The values that all devices of the account share, instead of those of helpers.")
    static let exitCodes: [(code: ExitCode, meaning: String)] = [
        (.success, "Done."), (.noInput, "There is no value of that key, or no such group container."),
        (.data, "Refused: a key that is none, too many keys, or too many bytes; nothing was changed."),
        (.unavailable, "No coordinator answers."),
    ]

    static var declarations: [ParameterDeclaration] {
        [group.declaration, synced.declaration, AccountOption.account.declaration, AccountOption.config.declaration]
    }

    let option: AccountOption
    let group: String?
    let isSynced: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        group = arguments.value(of: Self.group)
        isSynced = arguments.isSet(Self.synced)
    }

    func validate() throws(UsageError) {
        if isSynced, let group { throw UsageError("--synced values are those of all devices, not of a group container", argument: group) }
    }

    func set(_ value: SharedValue?, for key: String) async throws {
        let request = SetDefaultRequest(key: key, value: value, group: group)
        let _: SetDefaultResponse = try await option.client().post(isSynced ? "/v1/keyvalues" : "/v1/defaults", request)
    }

    /// Values by key, of each group container that is meant; of synced ones under an empty name.
    func values() async throws -> [(group: String, values: [String: SharedValue])] {
        if isSynced {
            let response: KeyValuesResponse = try await option.client().get("/v1/keyvalues")
            return [("", response.values)]
        }
        let query = group?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).map { "?group=\($0)" } ?? ""
        let response: DefaultsResponse = try await option.client().get("/v1/defaults" + query)
        return response.groups.map { ($0.group, $0.values) }
    }
}
