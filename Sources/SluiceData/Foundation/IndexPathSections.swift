public import Foundation

// What user-interface frameworks add to `IndexPath` elsewhere; results in sections are addressed so.
extension IndexPath {
    /// The place of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The place of a row in a section: the same as an item's.
    public init(row: Int, section: Int) { self.init(item: row, section: section) }

    /// - Precondition: the path has a section.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// - Precondition: the path has a section and an item.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// - Precondition: the path has a section and a row.
    public var row: Int {
        get { item }
        set { item = newValue }
    }
}
