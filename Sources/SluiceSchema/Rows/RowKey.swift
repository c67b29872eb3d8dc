/// One row's place in the store.
package struct RowKey: Hashable, Sendable {
    package let table: Int
    package let key: Int64

    package init(table: Int, key: Int64) {
        self.table = table
        self.key = key
    }
}
