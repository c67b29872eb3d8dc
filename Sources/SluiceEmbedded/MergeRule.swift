public import SluiceData
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

    private enum Subject: Sendable {
        case rows(ConflictPolicy)
        case field(String, ConflictPolicy)
        /// A key path that leads to nothing that is stored, as it prints.
        case nothing(String)
    }

    private let entity: String
    private let subject: Subject

    /// For all properties of a class for which no rule of their own says otherwise; also for its subclasses.
    public static func rows<Model: PersistentModel>(of type: Model.Type, _ winner: Winner) -> MergeRule {
        MergeRule(entity: ModelShape.of(type).entityName, subject: .rows(winner.policy))
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
        case .nothing(let path): return "the merge rule for \(path) is about nothing that \(entity) stores: name one of its stored properties"
        }
        return nil
    }
}
