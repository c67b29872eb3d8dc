import CPlist
import Foundation

/// A property list as a value. Read through libplist, because Foundation does not show a keyed archive's UIDs.
indirect enum PropertyList {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case data(Data)
    /// Seconds since 2001.
    case date(Double)
    /// The position of another object in a keyed archive.
    case uid(Int)
    case array([PropertyList])
    case dictionary([String: PropertyList])
    case null

    init(binary data: Data) throws(ModelFault) {
        try BinaryPropertyListBounds.check(data)
        var node: plist_t?
        data.withUnsafeBytes { bytes in
            plist_from_bin(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(bytes.count), &node)
        }
        guard let node else { throw .notPropertyList }
        defer { plist_free(node) }
        self = Self(copying: node)
    }

    /// The tree's depth was checked, so recursion is bounded.
    private init(copying node: plist_t) {
        switch plist_get_node_type(node) {
        case PLIST_BOOLEAN:
            var value: UInt8 = 0
            plist_get_bool_val(node, &value)
            self = .boolean(value != 0)
        case PLIST_UINT:
            // libplist gives a negative number's bits as unsigned.
            var value: UInt64 = 0
            plist_get_uint_val(node, &value)
            self = .integer(Int64(bitPattern: value))
        case PLIST_REAL:
            var value = 0.0
            plist_get_real_val(node, &value)
            self = .real(value)
        case PLIST_DATE:
            var seconds: Int32 = 0
            var microseconds: Int32 = 0
            plist_get_date_val(node, &seconds, &microseconds)
            self = .date(Double(seconds) + Double(microseconds) / 1_000_000)
        case PLIST_UID:
            var value: UInt64 = 0
            plist_get_uid_val(node, &value)
            self = .uid(Int(clamping: value))
        case PLIST_STRING: self = .string(Self.text(plist_get_string_ptr, node))
        case PLIST_DATA:
            var count: UInt64 = 0
            let bytes = plist_get_data_ptr(node, &count)
            self = .data(bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data())
        case PLIST_ARRAY:
            self = .array((0..<plist_array_get_size(node)).compactMap { plist_array_get_item(node, $0) }.map(Self.init(copying:)))
        case PLIST_DICT: self = .dictionary(Self.entries(of: node))
        default: self = .null
        }
    }

    private static func text(_ pointer: (plist_t?, UnsafeMutablePointer<UInt64>?) -> UnsafePointer<CChar>?, _ node: plist_t) -> String {
        var count: UInt64 = 0
        guard let bytes = pointer(node, &count) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    private static func entries(of node: plist_t) -> [String: PropertyList] {
        var entries: [String: PropertyList] = [:]
        var iterator: plist_dict_iter?
        plist_dict_new_iter(node, &iterator)
        defer { free(iterator) }
        while true {
            var key: UnsafeMutablePointer<CChar>?
            var value: plist_t?
            plist_dict_next_item(node, iterator, &key, &value)
            guard let key, let value else { return entries }
            entries[String(cString: key)] = Self(copying: value)
            free(key)
        }
    }
}
