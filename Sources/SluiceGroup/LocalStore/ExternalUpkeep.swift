// External values of projected rows lie in `.Local_SUPPORT`, which the numbered stores of the container share. A file that no store needs
// any more stays for another hour: a helper may be in the middle of reading the generation before.

package import Foundation
package import SluiceStore

extension LocalStoreWriter {
    /// When a file was first found unneeded. Forgotten with the process: then it stays an hour longer.
    struct UnneededFiles {
        private var since: [ExternalFile: Date] = [:]

        /// Those of the files that have been unneeded for long enough.
        mutating func due(_ files: [ExternalFile], at now: Date) -> [ExternalFile] {
            let known = since
            since = Dictionary(uniqueKeysWithValues: files.map { ($0, known[$0] ?? now) })
            return files.filter { file in since[file].map { now.timeIntervalSince($0) >= Store.externalFileAge } ?? false }
        }
    }

    /// Removes files that neither the current store nor one that is still open needs, and puts back those that the current one lacks. To
    /// be called now and then. Returns how many files went.
    /// - Parameter store: the synced store that the container is filled from.
    @discardableResult
    package func collectExternalValues(from store: Store, at now: Date = Date()) throws -> Int {
        guard let local = current?.store else { return 0 }
        for reference in try local.lostExternalValues() { try local.bring(reference, from: store) }
        return try local.removeExternalFiles(unneeded.due(try local.unneededExternalFiles(), at: now))
    }
}
