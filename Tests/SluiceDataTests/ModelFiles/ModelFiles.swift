import SluiceData

/// Every model of this folder, for tests that run through all of them. Versions of one entity are apart: they cannot share a container.
enum ModelFiles {
    static var all: [any PersistentModel.Type] {
        [
            Book.self, Author.self, Loan.self, Trip.self, BusinessTrip.self, ConferenceTrip.self, PersonalTrip.self, Stop.self,
            Colleague.self,
            Recipe.self, Ingredient.self, Errand.self, Account.self, Entry.self, Music.Album.self, Music.Track.self,
            Music.Studio.Instrument.self, Music.Playlist.self, Contact.self, Card.self, Preferences.self, Profile.self, Widget.self,
            ClockWidget.self, EmptyMarker.self, Sensor.self, Reading.self, Patient.self, Inpatient.self, Room.self, Shift.self,
            Message.self, ChatRoom.self, JournalPage.self,
        ] + privateClinicModels()
    }
}
