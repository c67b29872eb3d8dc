import Glibc

/// The few variables that a program looks at, without a copy of all of them.
package enum Environment {
    /// Those of the names that are set.
    package static func values(of names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { if let value = getenv(name) { values[name] = String(cString: value) } }
        return values
    }

    /// What finds a group container.
    package static var ofReaders: [String: String] { values(of: ["SLUICE_GROUP", "XDG_DATA_HOME", "HOME"]) }
}
