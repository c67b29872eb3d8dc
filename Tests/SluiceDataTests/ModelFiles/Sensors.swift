import SluiceData

// Availability, deprecation, transformers, and every attribute option.

struct Palette: Equatable {
    var colors: [String]
}

final class PaletteTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Palette).map { Data($0.colors.joined(separator: ",").utf8) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { Palette(colors: String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init)) }
    }
}

@available(macOS 14, iOS 17, *)
@Model
final class Sensor {
    @Attribute(.unique, .spotlight) var serial: String
    @Attribute(.externalStorage, .allowsCloudEncryption) var firmware: Data?
    @Attribute(.ephemeral) var lastSeen: Date?
    @Attribute(.transformable(by: PaletteTransformer.self)) var palette: Palette?
    @Attribute(.codable) var calibration: [Calibration] = []
    @Attribute var unit: Unit = Unit.celsius
    @available(macOS 15, iOS 18, *) var batch: Int = 0
    @available(*, deprecated, message: "Use calibration") var offset: Double = 0
    @Relationship(deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 1_000, inverse: \Reading.sensor)
    var readings: [Reading] = []

    init(serial: String) {
        self.serial = serial
    }

    enum Unit: String, Codable {
        case celsius, kelvin
    }

    final class Calibration: Codable {
        var at: Double = 0
        var correction: Double = 0
    }
}

@Model
final class Reading {
    #Index<Reading>(.binary([\.takenOn]), .rtree([\.x, \.y]))

    var takenOn: Date = Date()
    var value: Double
    var x: Double = 0
    var y: Double = 0
    var sensor: Sensor?

    init(value: Double) {
        self.value = value
    }
}
