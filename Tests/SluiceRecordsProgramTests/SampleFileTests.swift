import Foundation
import SluiceNotation
import SluiceRecordService
import SluiceRecords
import Testing

@testable import SluiceConfiguration

/// The annotated sample and the service's own defaults are the same facts.
@Suite struct SampleFileTests {
    @Test func `a file that says only what it must gives the service's defaults`() throws {
        let service = try ServiceProcess()
        let file = service.folder.appendingPathComponent("service.yaml")
        try Data("listen:\n  certificateFile: server.pem\n  keyFile: server.key\ndataDirectory: data\n".utf8).write(to: file)
        let read = try RecordServiceConfiguration.load(file.path)
        let defaults = ServiceConfiguration()
        #expect(read.operationsMaximum == defaults.limits.operations)
        #expect(read.requestSize.bytes == Int64(defaults.limits.bytes))
        #expect(Double(read.requestsPerSecond) == defaults.rate && Double(read.burst) == defaults.burst)
        #expect(read.assetSize.bytes == Int64(defaults.assetBytes))
        #expect(read.quotaPerUser.bytes == defaults.quota)
    }
}
