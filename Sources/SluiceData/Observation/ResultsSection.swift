/// The results that share one title, in the order of the fetch.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
    /// What the section's models have in common.
    public let title: SectionTitle
    private let elements: [Element]

    init(title: SectionTitle, elements: [Element]) {
        self.title = title
        self.elements = elements
    }

    /// The title: no two sections of one result share it.
    public var id: SectionTitle { title }
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Element { elements[position] }
}

/// Results in sections. Sections come in the order in which their titles first appear.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
    private let sections: [ResultsSection<Element, SectionTitle>]
    private let places: [SectionTitle: Int]

    init(_ elements: [Element], titledBy title: (Element) -> SectionTitle) {
        var places: [SectionTitle: Int] = [:]
        var titles: [SectionTitle] = []
        var members: [[Element]] = []
        for element in elements {
            let title = title(element)
            if let place = places[title] {
                members[place].append(element)
            } else {
                places[title] = titles.count
                titles.append(title)
                members.append([element])
            }
        }
        self.places = places
        sections = zip(titles, members).map { ResultsSection(title: $0, elements: $1) }
    }

    /// The titles, in the order of the sections.
    public var sectionTitles: [SectionTitle] { sections.map(\.title) }
    public var startIndex: Int { 0 }
    public var endIndex: Int { sections.count }

    public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

    /// nil where no result has that title. Takes the same time however many sections there are.
    public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
        places[sectionTitle].map { sections[$0] }
    }

    /// nil where no result has that title.
    public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }
}
