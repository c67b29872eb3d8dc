import Foundation
import Testing

@testable import SluiceConfiguration

@Suite struct CredentialSourceTests {
    private let environment = ConfigurationEnvironment(variables: [:])

    @Test(arguments: ["token", "token\n", "token\r\n", "token  ", " token\n\n", "token\t\r\n"])
    func `report R14: what editors put around a token is not part of it`(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(try CredentialSource.file(folder.write("token", text)).load(environment) == "token")
    }

    @Test(arguments: ["to\nken", "to\r\nken", "to ken", "to\0ken", "tökén"])
    func `report R14: a line break or another stranger inside is refused, and the token is not shown`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("secret-file", text)
        let error = #expect(throws: CredentialError.self) { try CredentialSource.file(path).load(environment) }
        #expect(error?.problem == .malformed)
        #expect(error?.description.contains("ken") == false || error?.description.contains("token is one line") == true)
    }

    @Test(arguments: ["", "\n", " \r\n"])
    func `report R14: an empty file means no token`(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(try CredentialSource.file(folder.write("token", text)).load(environment) == nil)
    }

    @Test func `a systemd credential lies in its directory, and without one the error says so`() throws {
        let folder = try TemporaryFolder()
        try folder.write("user", "abc\n")
        let unit = ConfigurationEnvironment(variables: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(try CredentialSource.systemd("user").load(unit) == "abc")
        #expect(throws: CredentialError(path: "user", problem: .noCredentialsDirectory)) {
            try CredentialSource.systemd("user").load(environment)
        }
        #expect(throws: CredentialError.self) { try CredentialSource.systemd("other").load(unit) }
        #expect(throws: CredentialError.self) { try CredentialSource.file(folder.path).load(environment) }
    }
}
