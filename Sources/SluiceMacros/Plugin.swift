internal import SwiftSyntaxMacros
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling

/// The compiler plug-in: the compiler starts it as a child process and sends it the macros it meets.
///
/// The toolchain's SwiftSyntax comes without SwiftCompilerPlugin, whose `CompilerPlugin` would do this in one line.
@main
struct Plugin {
    static func main() throws {
        let connection = try StandardIOMessageConnection()
        try CompilerPluginMessageListener(connection: connection, provider: Macros()).main()
    }
}

/// The macros by the names that their declarations in SluiceData use.
struct Macros: PluginProvider {
    static let byName: [String: any (Macro & SendableMetatype).Type] = [
        "PersistentModelMacro": PersistentModelMacro.self,
        "PersistedPropertyMacro": PersistedPropertyMacro.self,
        "TransformablePersistedPropertyMacro": TransformablePersistedPropertyMacro.self,
        "AttributePropertyMacro": AttributePropertyMacro.self,
        "RelationshipPropertyMacro": RelationshipPropertyMacro.self,
        "TransientPropertyMacro": TransientPropertyMacro.self,
        "UniqueMacro": UniqueMacro.self,
        "IndexMacro": IndexMacro.self,
        "PersistentModelActorMacro": PersistentModelActorMacro.self,
    ]

    struct UnknownMacro: Error, CustomStringConvertible {
        let typeName: String
        var description: String { "SluiceMacros has no macro '\(typeName)'; SluiceData and SluiceMacros are of different versions" }
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = Self.byName[typeName] else { throw UnknownMacro(typeName: typeName) }
        return macro
    }
}
