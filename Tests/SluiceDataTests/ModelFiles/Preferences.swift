import SluiceData

// Classes without initialisers, and several declarations on a line.

@Model final class Preferences { var volume = 0.8; var isMuted = false; var launches: Int = 0; var name: String = "default" }

@Model
final class Profile {
    var nickname: String
    var color: Color = .blue
    var age: Int?
    var joined = Date.now
    var scores = [Int]()
    var `default` = true
    private var salt: String = "pepper"

    enum Color: String, Codable { case red, blue }
}

@Model
class Widget {
    var title: String = ""; var width: Int = 2; var height: Int = 1
}

@Model
final class ClockWidget: Widget {
    var zone: String = "UTC"; var isAnalog: Bool = true
}

@Model
final class EmptyMarker {}
