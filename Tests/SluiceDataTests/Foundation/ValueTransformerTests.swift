import Foundation
import SluiceData
import Testing

@Suite struct ValueTransformerTests {
    private final class ReversingTransformer: ValueTransformer, @unchecked Sendable {
        override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8.reversed()) } }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
        }
    }

    private final class OtherTransformer: ValueTransformer, @unchecked Sendable {}

    @Test func `a transformer is found by the name it was registered under`() {
        let name = NSValueTransformerName("\(UUID())")
        #expect(ValueTransformer(forName: name) == nil)
        ValueTransformer.setValueTransformer(ReversingTransformer(), forName: name)
        #expect(ValueTransformer(forName: name)?.transformedValue("ab") as? Data == Data("ba".utf8))
        #expect(ReversingTransformer(forName: name) != nil && OtherTransformer(forName: name) == nil)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test func `an option that names a class registers it`() throws {
        let attribute = ModelSchema.Attribute(.transformable(by: OtherTransformer.self))
        #expect(attribute.isTransformable)
        #expect(AttributeKind(of: Any.self, options: attribute.options) == .transformable("OtherTransformer"))
        #expect(ValueTransformer(forName: NSValueTransformerName("OtherTransformer")) is OtherTransformer)
        #expect(ModelSchema.Attribute(.transformable(by: OtherTransformer.self)).options == attribute.options)
    }

    @Test func `a class's own name comes before the others that it was registered under`() {
        final class NamedTransformer: ValueTransformer, @unchecked Sendable {}
        ValueTransformer.setValueTransformer(NamedTransformer(), forName: NSValueTransformerName("A named transformer"))
        #expect("\(ModelSchema.Attribute.Option.transformable(by: NamedTransformer.self))".contains("A named transformer"))
        ValueTransformer.setValueTransformer(NamedTransformer(), forName: NSValueTransformerName("NamedTransformer"))
        #expect("\(ModelSchema.Attribute.Option.transformable(by: NamedTransformer.self))".contains("by: NamedTransformer"))
    }

    @Test func `what a store keeps is bytes, whichever way the transformer is named for`() {
        let plain = ReversingTransformer()
        #expect(plain.storedBytes(of: "abc").flatMap(plain.value(ofStored:)) as? String == "abc")
        #expect(plain.storedBytes(of: 5) == nil)
        let archiver = ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
        let bytes = archiver?.storedBytes(of: ["a": [1, 2]])
        #expect(bytes.flatMap { archiver?.value(ofStored: $0) } as? [String: [Int]] == ["a": [1, 2]])
        #expect(archiver?.storedBytes(of: ReversingTransformer()) == nil)
        #expect(archiver?.value(ofStored: Data("no property list".utf8)) == nil)
        #expect(archiver?.storedBytes(of: nil) == nil)
    }

    @Test func `a transformer from bytes to values serves a store without being an unarchiver`() {
        final class ReadingTransformer: ValueTransformer, @unchecked Sendable {
            override func transformedValue(_ value: Any?) -> Any? { (value as? Data).map { String(decoding: $0, as: UTF8.self) } }
            override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }
        }
        let reading = ReadingTransformer()
        #expect(reading.storedBytes(of: "abc") == Data("abc".utf8))
        #expect(reading.value(ofStored: Data("abc".utf8)) as? String == "abc")
        #expect(reading.storedBytes(of: 5) == nil)
    }

    @Test func `bytes that a transformer refuses are never transformed the other way`() {
        final class SealingTransformer: ValueTransformer, @unchecked Sendable {
            override func transformedValue(_ value: Any?) -> Any? { (value as? Data).map { Data([0]) + $0 } }
            override func reverseTransformedValue(_ value: Any?) -> Any? {
                (value as? Data).flatMap { $0.first == 0 ? Data($0.dropFirst()) : nil }
            }
        }
        let sealing = SealingTransformer()
        #expect(sealing.storedBytes(of: Data([7])).flatMap(sealing.value(ofStored:)) as? Data == Data([7]))
        #expect(sealing.value(ofStored: Data([7])) == nil)
    }

    @Test func `the class itself hands values on`() {
        #expect(ValueTransformer().transformedValue(1) as? Int == 1 && ValueTransformer().reverseTransformedValue(1) as? Int == 1)
        #expect(ValueTransformer.allowsReverseTransformation() && ValueTransformer.transformedValueClass() == nil)
    }

    @Test func `an index path has a section and an item`() {
        var path = IndexPath(item: 3, section: 1)
        #expect(path == IndexPath(row: 3, section: 1) && path == IndexPath(indexes: [1, 3]))
        path.item += 1
        path.section = 0
        #expect(path.row == 4 && path.section == 0)
    }
}
