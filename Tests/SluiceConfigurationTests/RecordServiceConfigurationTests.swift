import Foundation
import SluiceNotation
import Testing

@testable import SluiceConfiguration

@Suite struct RecordServiceConfigurationTests {
    private func folder(keyMode: Int = 0o600) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("certificates/localhost.pem", "")
        try folder.write("certificates/localhost.key", "", mode: keyMode)
        return folder
    }

    private let smallest = """
        listen: {certificateFile: certificates/localhost.pem, keyFile: certificates/localhost.key}
        dataDirectory: data
        """

    @Test func `the sample's values are the defaults that its comments name`() throws {
        let folder = try folder()
        let said = try RecordServiceConfiguration.load(folder.write("a.yaml", sample("sluice-records.yaml")))
        let silent = try RecordServiceConfiguration.load(
            folder.write("b.yaml", smallest.replacingOccurrences(of: ": data", with: ": /var/lib/sluice-records")))
        #expect(said == silent)
        #expect(said.requestSize == ByteCount(bytes: 8 << 20))
    }

    @Test func `a key that others may read, a name for an address and a size without a unit are refused together`() throws {
        let folder = try folder(keyMode: 0o640)
        let text = smallest.replacingOccurrences(of: "{cert", with: "{address: localhost, cert") + "\nlimits: {requestBytes: 1000}\n"
        let file = try folder.write("a.yaml", text)
        let error = #expect(throws: ConfigurationError.self) { try RecordServiceConfiguration.load(file) }
        #expect(error?.faults.count == 3)
        #expect(error?.description.contains("mode 640") == true)
    }

    @Test func `a PostgreSQL database is named without a password, which no fault repeats`() throws {
        let folder = try folder()
        let named = try RecordServiceConfiguration.load(
            folder.write("a.yaml", smallest + "\nstorage: postgresql://ann@[::1]:5433/sluice?passfile=/p\nstorageConnections: 20\n"))
        #expect(named.storage == "postgresql://ann@[::1]:5433/sluice?passfile=/p" && named.storageConnections == 20)
        #expect(try RecordServiceConfiguration.load(folder.write("b.yaml", smallest)).storage == nil)
        for text in ["postgresql://ann:s3cret@host/sluice", "postgresql://host/sluice?password=s3cret", "host=here password=s3cret"] {
            let file = try folder.write("c.yaml", smallest + "\nstorage: \(text)\n")
            let error = #expect(throws: ConfigurationError.self) { try RecordServiceConfiguration.load(file) }
            #expect(error?.description.contains("passfile") == true && error?.description.contains("s3cret") == false)
        }
    }

    @Test func `a relative data directory lies beside the file`() throws {
        let folder = try folder()
        #expect(try RecordServiceConfiguration.load(folder.write("a.yaml", smallest)).dataDirectory == folder.path + "/data")
    }
}
