import Foundation
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// A large value lies in a file of the group container. Whoever may read the container reads it, and it is opened only where it is printed.
@Suite struct ExternalValueTests {
    private let fixture: GlanceFixture
    private let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 11) })

    init() throws {
        fixture = try GlanceFixture()
        try fixture.store.write {
            for (name, value) in [("P", image), ("Q", Data([1, 2, 3]))] {
                let edit = RowEdit(attributes: ["title": .string("photo \(name)"), "image": .data(value)])
                try fixture.store.put("Photo", name: .text(name), edit)
            }
        }
        try fixture.writer.update(from: fixture.store)
    }

    private var file: URL {
        fixture.group.appending(path: ".Local_SUPPORT/\(ExternalValueWriter.reference(to: image).fileName)")
    }

    @Test(arguments: HelperStateTests.users)
    func `a helper reads a large value, in every state of its coordinator`(user: GlanceFixture.User) throws {
        let expected = GlanceFixture.Outcome(status: 0, output: image.base64EncodedString() + "\n", errors: "")
        #expect(try fixture.glance("get", "P", "--fields", "image", as: user) == expected)
        try fixture.writer.close()
        #expect(try fixture.glance("get", "P", "--fields", "image", as: user) == expected)
        #expect(try fixture.glance("list", "Photo", "--fields", "image", "--where", "image != nil", as: user).lines.count == 2)
    }

    @Test func `what is not printed is not opened, and what cannot be opened is an error with its reason`() throws {
        try FileManager.default.removeItem(at: file)
        #expect(try fixture.glance("list", "Photo", "--fields", "title", "--order", "title").output == "photo P\nphoto Q\n")
        #expect(try fixture.glance("list", "Photo", "--template", "{{title}}", "--order", "title").output == "photo P\nphoto Q\n")
        #expect(try fixture.glance("get", "Q", "--fields", "image").output == "AQID\n")
        let outcome = try fixture.glance("list", "Photo", "--json")
        #expect(outcome.status == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("Photo.image of record P") && outcome.errors.contains(file.path))
    }

    @Test(.enabled(if: GlanceFixture.isRoot, "only root can run a helper as another user"))
    func `a file that may not be read is a lack of permission`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try fixture.glance("get", "P", as: .member).status == 77)
    }
}
