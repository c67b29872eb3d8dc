public import SluiceData
internal import SluiceSchema
internal import SluiceSync

/// What becomes of edits of the same by two devices, said by the program that embeds a coordinator. It goes before what the account file says.
///
///     let coordinator = try await SluiceCoordinator.embed(
///         account: "shop", models: [Item.self], merging: [.rows(of: Item.self, .latestEdit), .field(\Item.price, .serverWins)])
///
/// All devices of an account should have the same rules: each decides by its own.
public struct MergeRule: Sendable {
    /// Who wins where two devices edited the same.
    public enum Winner: String, Hashable, Sendable {
        /// Whoever edited last, by clocks that are bounded by the service's.
        case latestEdit
        /// What the service has.
        case serverWins
        /// What this device has.
        case clientWins

        var policy: ConflictPolicy {
            switch self {
            case .latestEdit: .latestEdit
            case .serverWins: .serverWins
            case .clientWins: .clientWins
            }
        }
    }

    /// What wins where one device deleted a record and another edited it.
    public enum Survivor: String, Hashable, Sendable {
        /// The record stays deleted; the lost edit is in history.
        case deleteWins
        /// The record comes back on all devices.
        case editWins
    }

    private enum Subject: Sendable {
        case rows(ConflictPolicy)
        case deletions(DeletionPolicy)
        case field(String, ConflictPolicy)
        case function(String, MergeFunction)
        case rowFunction(EntityMergeFunction)
        /// A property that is no attribute with a value of its own.
        case noValue(String)
        /// A key path that leads to nothing that is stored, as it prints.
        case nothing(String)
    }

    private let entity: String
    private let subject: Subject

    /// For all properties of a class for which no rule of their own says otherwise; also for its subclasses.
    public static func rows<Model: PersistentModel>(of type: Model.Type, _ winner: Winner) -> MergeRule {
        MergeRule(entity: ModelShape.of(type).entityName, subject: .rows(winner.policy))
    }

    /// For all attributes of a class for which no rule of their own says otherwise, by a function of the program's own; also for the attributes that its
    /// subclasses inherit.
    ///
    ///     .rows(of: Item.self) { conflict in
    ///         conflict.merging(\.note) { base, local, remote in "\(remote)\n\(local)" }
    ///             ?? conflict.merging(\.price) { base, local, remote in min(local, remote) }
    ///     }
    ///
    /// What it returns nil for is decided by the policy of the class, and so is what is no value of the property's type. What `field(_:merge:)` asks of a
    /// function holds for it too: the same for the same values, everywhere.
    /// - Parameter merge: of one attribute that both sides changed; called for each of them apart.
    public static func rows<Model: PersistentModel>(
        of type: Model.Type, merge: @escaping @Sendable (MergeConflict<Model>) -> Any?
    ) -> MergeRule {
        let shape = ModelShape.of(type)
        return MergeRule(
            entity: shape.entityName,
            subject: .rowFunction { name, base, local, remote in
                guard let property = shape.property(named: name), let kind = property.attributeKind,
                    let conflict = MergeConflict<Model>(property, base: base, local: local, remote: remote), let merged = merge(conflict)
                else { return nil }
                return conflict.isValue(merged) ? ModelValue.encode(merged, as: kind) : nil
            })
    }

    /// For records of a class that one device deleted while another edited them; also of its subclasses.
    public static func deletions<Model: PersistentModel>(of type: Model.Type, _ survivor: Survivor) -> MergeRule {
        MergeRule(entity: ModelShape.of(type).entityName, subject: .deletions(survivor == .editWins ? .editWins : .deleteWins))
    }

    /// For one property.
    public static func field<Model: PersistentModel, Value>(_ property: KeyPath<Model, Value>, _ winner: Winner) -> MergeRule {
        MergeRule(property, winner.policy)
    }

    /// For a whole number that devices add to: what each of them added since they last agreed is added up. Never for a double or a decimal.
    public static func counter<Model: PersistentModel>(_ property: KeyPath<Model, some FixedWidthInteger>) -> MergeRule {
        MergeRule(property, .counter)
    }

    /// The same where it may be nil, which counts as the default, or 0.
    public static func counter<Model: PersistentModel>(_ property: KeyPath<Model, (some FixedWidthInteger)?>) -> MergeRule {
        MergeRule(property, .counter)
    }

    /// For a set that is one property: what either device added stays, what either took out goes.
    public static func union<Model: PersistentModel, Element: Codable>(_ property: KeyPath<Model, Set<Element>>) -> MergeRule {
        MergeRule(property, .union)
    }

    /// The same for a list, which is merged as a set is: the service's order, then what was added here.
    public static func union<Model: PersistentModel, Element: Codable>(_ property: KeyPath<Model, [Element]>) -> MergeRule {
        MergeRule(property, .union)
    }

    /// For one attribute, by a function of the program's own.
    ///
    ///     .field(\Item.note) { base, local, remote in "\(remote)\n\(local)" }
    ///
    /// It must return the same for the same values, on every device and in every release that is out there, or devices differ in what they sent
    /// last. It may be called several times for one conflict, on any thread, and what it returned is this device's value when it is called
    /// again: with another `remote`, and the `remote` of before as `base`.
    /// - Parameter merge: of the value that both were made on top of (nil where that is not known), this device's, and the service's.
    public static func field<Model: PersistentModel, Value>(
        _ property: KeyPath<Model, Value>, merge: @escaping @Sendable (_ base: Value?, _ local: Value, _ remote: Value) -> Value
    ) -> MergeRule {
        let shape = ModelShape.of(Model.self)
        guard let found = shape.property(for: property) else { return MergeRule(entity: shape.entityName, subject: .nothing("\(property)")) }
        guard let kind = found.attributeKind, let type = kind.type, type != .transformable else {
            return MergeRule(entity: shape.entityName, subject: .noValue(found.name))
        }
        return MergeRule(
            entity: shape.entityName,
            subject: .function(found.name) { base, local, remote in
                // A value that this program cannot decode is left to the policy of the entity.
                guard let mine = ModelValue.decode(local, as: Value.self), let theirs = ModelValue.decode(remote, as: Value.self) else { return nil }
                return ModelValue.encode(merge(base.flatMap { ModelValue.decode($0, as: Value.self) }, mine, theirs), as: kind)
            })
    }

    private init(entity: String, subject: Subject) {
        self.entity = entity
        self.subject = subject
    }

    private init<Model: PersistentModel, Value>(_ property: KeyPath<Model, Value>, _ policy: ConflictPolicy) {
        let shape = ModelShape.of(Model.self)
        let name = shape.property(for: property)?.name
        self.init(entity: shape.entityName, subject: name.map { .field($0, policy) } ?? .nothing("\(property)"))
    }

    /// - Returns: why the rule cannot hold; nil once it is among the policies.
    func add(to policies: inout MergePolicies) -> String? {
        switch subject {
        case .rows(let policy): policies.entities[entity, default: EntityMergePolicy()].conflicts = policy
        case .field(let name, let policy): policies.entities[entity, default: EntityMergePolicy()].fields[name] = policy
        case .deletions(let policy): policies.entities[entity, default: EntityMergePolicy()].deletions = policy
        case .function(let name, let function): policies.entities[entity, default: EntityMergePolicy()].functions[name] = function
        case .rowFunction(let function): policies.entities[entity, default: EntityMergePolicy()].function = function
        case .noValue(let name): return "the merge rule for \(entity).\(name) is a function, which only an attribute can have that is no transformed value"
        case .nothing(let path): return "the merge rule for \(path) is about nothing that \(entity) stores: name one of its stored properties"
        }
        return nil
    }
}
