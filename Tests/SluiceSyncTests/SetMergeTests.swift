import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// Lists and sets that are one field.
@Suite struct SetMergeTests {
    private let pair: DevicePair

    init() throws {
        pair = try DevicePair(
            [Entity("Item", attributes: [Attribute("labels", .codable, isOptional: true), Attribute("text", .string, isOptional: true)])],
            policies: MergePolicies(["Item": EntityMergePolicy(fields: ["labels": .union])]))
    }

    private func put(_ device: DeviceDouble, _ json: String?) throws {
        try pair.put(device, "Item", "1", ["labels": json.map { .data(Data($0.utf8)) } ?? .null])
    }

    private func expect(_ json: String) throws {
        try pair.settle()
        for device in [pair.a, pair.b] {
            guard case .data(let bytes)? = try pair.row(device, "1")?.attributes["labels"] else { return #expect(Bool(false)) }
            #expect(String(decoding: bytes, as: UTF8.self) == json)
        }
    }

    private func contend(from base: String?, _ mine: String?, _ theirs: String?) throws {
        try put(pair.a, base)
        try pair.settle()
        try put(pair.b, theirs)
        try pair.b.sync()
        try put(pair.a, mine)
    }

    @Test func `additions of both sides stay, and what either took out goes`() throws {
        try contend(from: #"["a","b","c"]"#, #"["a","b","x"]"#, #"["b","c","y"]"#)
        try expect(#"["b","y","x"]"#)
    }

    @Test func `what both added is there once, and what both took out is gone`() throws {
        try contend(from: #"["a"]"#, #"["x","z","z"]"#, #"["x","y"]"#)
        try expect(#"["x","y","z"]"#)
    }

    @Test func `no value is no elements`() throws {
        try contend(from: nil, #"["x"]"#, #"["y"]"#)
        try expect(#"["y","x"]"#)
        try put(pair.a, nil)
        try put(pair.b, #"["y","x","z"]"#)
        try expect(#"["z"]"#)
    }

    @Test func `elements keep their bytes, whatever is in them`() throws {
        let long = "123456789012345678901234567890.5"
        try contend(from: "[]", #"[{"a":"],\"","n":\#(long)},[1,[2]]]"#, #"["ü,[","\\\\"]"#)
        try expect(#"["ü,[","\\\\",{"a":"],\"","n":\#(long)},[1,[2]]]"#)
    }

    @Test func `two devices that make the record of one name keep what both put in`() throws {
        try put(pair.a, #"["a"]"#)
        try put(pair.b, #"["b"]"#)
        try pair.settle()
        guard case .data(let bytes)? = try pair.row(pair.a, "1")?.attributes["labels"] else { return #expect(Bool(false)) }
        #expect(Set(try JSONDecoder().decode([String].self, from: bytes)) == ["a", "b"])
    }

    @Test func `a device that is behind puts its additions on top more than once`() throws {
        try put(pair.a, "[1]")
        try pair.settle()
        try put(pair.b, "[1,2]")
        for json in ["[1,3]", "[3]"] {
            try put(pair.a, json)
            try pair.a.sync()
            pair.b.lostRequests = 1
            try pair.b.sync()
        }
        try expect("[3,2]")
    }

    @Test func `a value that is no list is decided like any other field`() throws {
        try contend(from: "[1]", #"{"a":1}"#, "[2]")
        try expect("[2]")
    }
}
