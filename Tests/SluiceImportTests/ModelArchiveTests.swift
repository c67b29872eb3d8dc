import CPlist
import Foundation
import Testing

@testable import SluiceImport

@Suite struct ModelArchiveTests {
    private func fault(_ content: Data) -> ModelFault? {
        #expect(throws: ModelFault.self) { try ModelArchive.decode(content) }
    }

    @Test func `garbage, cut-off and foreign content are refused by kind`() {
        #expect(fault(Data([0xFF, 0xFF, 0xFF])) == .notDeflate)
        let good = ModelWriter([.init(name: "A", properties: [.attribute("x", 700)])]).content()
        #expect(fault(good.prefix(good.count / 2)) == .notDeflate)
        #expect(fault(ModelWriter.deflate(Data("hello".utf8))) == .notPropertyList)
        #expect(fault(ModelWriter.deflate(ModelWriter.binary(plist_new_string("x")))) == .notKeyedArchive)
    }

    @Test func `content that unpacks beyond the bound is refused before it fills the memory`() {
        let bomb = ModelWriter.deflate(Data(count: ModelArchive.byteCountMax + 1))
        #expect(bomb.count < 1 << 20)
        #expect(fault(bomb) == .tooLarge(byteCountMax: ModelArchive.byteCountMax))
    }

    /// Arrays of two references to the next array: 2 to the power of `levels` nodes in a few hundred bytes.
    private func doubling(levels: Int) -> Data {
        var bytes = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for level in 0..<levels {
            offsets.append(UInt8(bytes.count))
            bytes += level + 1 < levels ? [0xA2, UInt8(level + 1), UInt8(level + 1)] : [0x08]
        }
        let table = bytes.count
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [levels, 0, table] { bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0) } }
        return bytes
    }

    @Test func `a property list that expands without end, nests too deep or contains itself is refused`() throws {
        try BinaryPropertyListBounds.check(doubling(levels: 10))
        #expect(throws: ModelFault.tooManyObjects(countMax: BinaryPropertyListBounds.nodeCountMax)) {
            try BinaryPropertyListBounds.check(doubling(levels: 40))
        }
        #expect(throws: ModelFault.tooManyObjects(countMax: BinaryPropertyListBounds.nodeCountMax)) {
            try BinaryPropertyListBounds.check(doubling(levels: 63))
        }
        var cycle = doubling(levels: 2)
        cycle.replaceSubrange(8..<11, with: [0xA2, 0, 0])
        #expect(throws: ModelFault.tooDeep(levelMax: BinaryPropertyListBounds.levelMax)) { try BinaryPropertyListBounds.check(cycle) }
    }

    @Test func `no cut of a sound archive crashes the reader`() {
        let list = ModelWriter.binary(plist_new_string("a string that is long enough to have a length of its own"))
        for count in 0..<list.count {
            #expect(throws: ModelFault.self) { try BinaryPropertyListBounds.check(list.prefix(count)) }
        }
    }

    @Test func `entities that inherit from each other are refused`() {
        let content = ModelWriter([
            .init(name: "A", properties: []), .init(name: "B", parent: "A", properties: []),
        ]).content()
        #expect(throws: Never.self) { try ModelArchive.decode(content) }
        let cycle = ModelWriter(
            [
                .init(name: "A", parent: "B", properties: []), .init(name: "B", parent: "A", properties: []),
            ], ignoringInheritance: true
        ).content()
        #expect(fault(cycle) != nil)
    }
}
