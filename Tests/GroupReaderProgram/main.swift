// The other program of the split: it has the model class, the group's name and nothing else. Prints what it reads, or why it may not.
//
//     GroupReaderProgram group GROUP                       the models that the group container holds
//     GroupReaderProgram private CONTAINER                 opens the synced store: refused
//     GroupReaderProgram file PATH                         opens a file by its path, only to read
//     GroupReaderProgram write PATH TITLE                  writes to a file

import Foundation
import SluiceData

@Model
final class Errand {
    @Attribute(.unique) var id: UUID
    var title: String
    var isDone = false

    init(id: UUID = UUID(), title: String) {
        self.id = id
        self.title = title
    }
}

let arguments = CommandLine.arguments

do {
    let configuration: ModelConfiguration
    switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
    case ("group", let name?): configuration = ModelConfiguration(allowsSave: false, groupContainer: .identifier(name))
    case ("private", let name?): configuration = ModelConfiguration(cloudKitDatabase: .private(name))
    case ("file", let path?): configuration = ModelConfiguration(url: URL(filePath: path), allowsSave: false)
    case ("write", let path?): configuration = ModelConfiguration(url: URL(filePath: path))
    default: fatalError("unknown arguments")
    }
    let context = ModelContext(try ModelContainer(for: Errand.self, configurations: configuration))
    if arguments.count > 3 {
        context.insert(Errand(title: arguments[3]))
        try context.save()
    }
    for errand in try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.title)])) { print(errand.title) }
} catch let error as SwiftDataError {
    let kind =
        switch error {
        case SwiftDataError.missingEntitlement: "missingEntitlement"
        case SwiftDataError.ownedBy(): "ownedBy"
        case SwiftDataError.migrationRequired: "migrationRequired"
        default: "other"
        }
    print("refused: \(kind)")
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(3)
}
