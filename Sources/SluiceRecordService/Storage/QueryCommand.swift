package import SluiceRecords

/// One page of a query, as asked for.
package struct QueryCommand: Sendable {
    package var rules: QueryRules
    /// Nil: all zones of the database.
    package var zone: ZoneID?
    /// The page begins after this place, which need not be a record's any more.
    package var after: QueryPlace?
    package var limit: Int
    /// The page ends after the record that brings its fields over this many bytes.
    package var bytes = 4 << 20
    /// Records of the type that a page looks at where names give the order: a page may end before it is full, even empty.
    package var examined = 100_000
    /// Records of the type that may have to be looked at for one page of a sorted query.
    package var sorted = ServiceLimits.querySortedRecords

    package init(_ rules: QueryRules, zone: ZoneID?, after: QueryPlace? = nil, limit: Int) {
        self.rules = rules
        self.zone = zone
        self.after = after
        self.limit = limit
    }
}

/// One page of a query's results, of one committed state.
package struct QueryPage: Sendable {
    package var records: [StoredRecord]
    /// Where the next page begins; nil on the last one.
    package var next: QueryPlace?
}
