public import SluiceData

// Access levels: a module's public and open models, and private ones.

@Model
open class Patient {
    public enum Sex: String, Codable, Sendable { case female, male, other }

    public private(set) var name: String
    public var sex: Sex
    package var insurance: String?
    var visits: Int = 0
    fileprivate var remarks: [Remark] = []
    private var code: Code = .green

    public init(name: String, sex: Sex = .other) {
        self.name = name
        self.sex = sex
    }

    public func rename(to name: String) {
        self.name = name
        code = .yellow
    }

    private enum Code: String, Codable { case green, yellow }
    fileprivate struct Remark: Codable { var text: String }
}

@Model
public final class Inpatient: Patient {
    public var ward: Int
    @Relationship(inverse: \Room.occupants) public var room: Room?

    public init(name: String, ward: Int) {
        self.ward = ward
        super.init(name: name)
    }
}

@Model
public final class Room {
    public internal(set) var number: Int
    public var occupants: [Inpatient] = []

    public init(number: Int) {
        self.number = number
    }
}

@Model
package final class Shift {
    package var from: Date
    package var until: Date

    package init(from: Date, until: Date) {
        self.from = from
        self.until = until
    }
}

@Model
fileprivate final class Draft {
    var text: String = ""
}

@Model
private class Scratch {
    var text: String
}

/// The private models, for a test in another file.
func privateClinicModels() -> [any PersistentModel.Type] { [Draft.self, Scratch.self] }
