public import Foundation

extension FileManager {
    /// The directory of a group container, whether or not it exists: its coordinator makes it. nil where no group can have that name.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        StoreLocations.current.groupDirectory(named: groupIdentifier)
    }
}
