// The errors of contexts and stores, with what happened, to which thing, and what to do next. Never a model's values.

import Foundation
import SluiceSchema

extension SwiftDataError {
    static func unknownModel(_ type: any PersistentModel.Type) -> SwiftDataError {
        unknownSchema.because("the container has no model \(type): name it, or a model that refers to it, when the container is made")
    }

    static func belongsToAnotherContext(_ model: any PersistentModel) -> SwiftDataError {
        modelValidationFailure.because(
            "a \(Swift.type(of: model)) that another context has not saved was related to a model of this one: save that context first")
    }

    static func belongsToAnotherContainer(_ model: any PersistentModel) -> SwiftDataError {
        modelValidationFailure.because(
            "a \(Swift.type(of: model)) that another container's store has was inserted: make a new model of its values")
    }

    static func reading(because error: any Error) -> SwiftDataError {
        missingModelContext.because("a property could not be read from its store, so its model has a default there: \(error)", underlyingError: error)
    }

    static func missingReference(_ relationship: String, of entity: String) -> SwiftDataError {
        modelValidationFailure.because("\(entity).\(relationship) is required and points at nothing: give it a model, or declare it optional")
    }

    static func memberCount(_ count: Int, of relationship: SluiceSchema.Relationship, entity: String) -> SwiftDataError {
        let wanted =
            relationship.maximumCount > 0
            ? "\(relationship.minimumCount) to \(relationship.maximumCount)" : "at least \(relationship.minimumCount)"
        return modelValidationFailure.because("\(entity).\(relationship.name) has \(count) models and must have \(wanted)")
    }

    static func identityChanged(_ property: String, of entity: String) -> SwiftDataError {
        modelValidationFailure.because(
            "\(entity).\(property) is the record's identity, which never changes: delete the model and insert another one")
    }

    static func unknownProperty(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> SwiftDataError {
        unsupportedKeyPath.because("\(keyPath) is no stored property of \(type): only those can be named in a fetch")
    }

    static let unsavedChangesInEnumeration = modelValidationFailure.because(
        "the context has unsaved changes: save them before enumerate, or allow escaping mutations")

    static func opening(_ configuration: ModelConfiguration, because error: any Error) -> SwiftDataError {
        if let error = error as? SwiftDataError { return error }
        return loadIssueModelContainer.because(
            "the store of configuration \(configuration.name) could not be opened and was left as it is: \(error)", underlyingError: error)
    }

    static func notSaved(_ configuration: ModelConfiguration) -> SwiftDataError {
        modelValidationFailure.because("configuration \(configuration.name) was opened for reading only (allowsSave: false)")
    }

    static func notEntitled(_ configuration: ModelConfiguration) -> SwiftDataError {
        missingEntitlement.because(
            "\(configuration.url.path) is a state of a group container, which only its coordinator writes: hand the edit to it, as `sluice put` does")
    }

    static func closed(_ configuration: ModelConfiguration) -> SwiftDataError { closed(configuration.name) }

    static func closed(_ configuration: String) -> SwiftDataError {
        missingModelContext.because(
            "the container of configuration \(configuration) was invalidated: make another one, and contexts from it")
    }

    static func lacks(_ thing: String, _ configuration: ModelConfiguration) -> SwiftDataError {
        migrationRequired.because(
            "the store of configuration \(configuration.name) has no \(thing): the program that owns the store must migrate it first")
    }
}
