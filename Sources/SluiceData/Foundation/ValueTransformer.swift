open class ValueTransformer { static func registeredName(for: ValueTransformer.Type) -> String { "" } }
