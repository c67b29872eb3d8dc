import Foundation
import SluiceSchema
import Testing

/// Names of records, and what counts as a UUID.
@Suite struct RecordNameTextTests {
    @Test func `a UUID is one in either case, and is written in upper case`() {
        for _ in 0..<200 {
            let uuid = UUID()
            #expect(RecordName(uuid.uuidString) == .uuid(uuid))
            #expect(RecordName(uuid.uuidString.lowercased()) == .uuid(uuid))
            #expect(RecordName.uuid(uuid).text == uuid.uuidString)
        }
    }

    @Test(arguments: [
        "", "milk", "E621E1F8-C36C-495A-93FC-0C247A3E6E5", "E621E1F8-C36C-495A-93FC-0C247A3E6E5FF", "E621E1F8C36C-495A-93FC-0C247A3E6E5F0",
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5G", " 621E1F8-C36C-495A-93FC-0C247A3E6E5F", "0xE621E1-C36C-495A-93FC-0C247A3E6E5F",
        "E621E1F8+C36C-495A-93FC-0C247A3E6E5F", "E621E1F8-C36C-495A-93FC-0C247A3E6Eé", "{621E1F8-C36C-495A-93FC-0C247A3E6E5}",
    ]) func `whatever is not exactly a UUID is kept as it is`(text: String) {
        #expect(RecordName(text) == .text(text))
        #expect(RecordName(text).text == text)
    }
}
