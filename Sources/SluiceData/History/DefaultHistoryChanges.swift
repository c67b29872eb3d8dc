/// A row that came into a store of this module.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
}

/// A row of a store of this module that got other values.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

    public static func == (left: Self, right: Self) -> Bool {
        left.changeIdentifier == right.changeIdentifier && left.transactionIdentifier == right.transactionIdentifier
            && left.changedPersistentIdentifier == right.changedPersistentIdentifier
            && left.updatedAttributes.elementsEqual(right.updatedAttributes) { $0 == $1 }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

/// A row that went from a store of this module.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    /// A deletion is one entry of one log: what it left follows from that.
    public static func == (left: Self, right: Self) -> Bool {
        left.changeIdentifier == right.changeIdentifier && left.transactionIdentifier == right.transactionIdentifier
            && left.changedPersistentIdentifier == right.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

extension ModelProperty {
    /// The property's key path with another root.
    ///
    /// An inherited property's stays what it is, `\Vehicle.name`, and only its static type says `Car`: a `Car` is a `Vehicle`, and a key
    /// path reads the object that it is given. It is immutable and captures nothing, so it may cross to anywhere.
    func keyPath<Model: PersistentModel>(in type: Model.Type) -> any PartialKeyPath<Model> & Sendable {
        unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
    }
}
