/// The top of a mapping file.
enum MappingKey: String, SectionKey {
    case mapping
}

enum MappedEntityKey: String, SectionKey {
    case name
    case omit
    case identity
    case properties
}

enum MappedPropertyKey: String, SectionKey {
    case name
    case omit
    case type
}
