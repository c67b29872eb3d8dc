import SluiceData
import Testing

@Suite struct UndoManagerTests {
    /// A value whose changes can be undone.
    private final class Box {
        var value = 0
        let manager: UndoManager

        init(_ manager: UndoManager) { self.manager = manager }

        func set(_ new: Int) {
            let old = value
            value = new
            manager.registerUndo(withTarget: self) { $0.set(old) }
        }
    }

    private let manager = UndoManager()

    @Test func `edits since the last undo are taken back together, the last first`() {
        let box = Box(manager)
        box.set(1)
        box.set(2)
        #expect(manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(box.value == 0 && !manager.canUndo)
        manager.redo()
        #expect(box.value == 2 && manager.canUndo)
        manager.undo()
        #expect(box.value == 0)
    }

    @Test func `groups are undone one at a time, nested ones with the group around them`() {
        let box = Box(manager)
        box.set(9)
        manager.beginUndoGrouping()
        box.set(1)
        manager.beginUndoGrouping()
        box.set(2)
        #expect(manager.groupingLevel == 2)
        manager.endUndoGrouping()
        manager.endUndoGrouping()
        manager.beginUndoGrouping()
        box.set(3)
        manager.endUndoGrouping()
        #expect(manager.undoCount == 3)
        manager.undo()
        #expect(box.value == 2)
        manager.undo()
        #expect(box.value == 9)
        manager.redo()
        #expect(box.value == 2 && manager.redoCount == 1)
        manager.undo()
        manager.undo()
        #expect(box.value == 0)
    }

    @Test func `a new edit forgets what could be redone`() {
        let box = Box(manager)
        box.set(1)
        manager.undo()
        box.set(5)
        #expect(!manager.canRedo)
        manager.redo()
        #expect(box.value == 5)
    }

    @Test func `without groups by event each edit is one`() {
        manager.groupsByEvent = false
        let box = Box(manager)
        box.set(1)
        box.set(2)
        manager.undo()
        #expect(box.value == 1)
        manager.redo()
        #expect(box.value == 2 && manager.undoCount == 2)
    }

    @Test func `the oldest groups go when there are more than the levels`() {
        manager.groupsByEvent = false
        manager.levelsOfUndo = 2
        let box = Box(manager)
        for value in 1...5 { box.set(value) }
        #expect(manager.undoCount == 2)
        manager.undo()
        manager.undo()
        manager.undo()
        #expect(box.value == 3)
        manager.levelsOfUndo = 1
        #expect(manager.redoCount == 1)
    }

    @Test func `nothing is registered while registration is off`() {
        let box = Box(manager)
        manager.disableUndoRegistration()
        manager.disableUndoRegistration()
        manager.enableUndoRegistration()
        box.set(1)
        #expect(!manager.canUndo && !manager.isUndoRegistrationEnabled)
        manager.enableUndoRegistration()
        manager.enableUndoRegistration()
        box.set(2)
        #expect(manager.canUndo)
    }

    @Test func `targets are not kept alive, and edits of those that are gone are skipped`() {
        let kept = Box(manager)
        weak var gone: Box?
        do {
            let box = Box(manager)
            gone = box
            kept.set(1)
            box.set(1)
        }
        #expect(gone == nil)
        manager.undo()
        #expect(kept.value == 0)
    }

    @Test func `the edits of one target, or of all, are forgotten`() {
        let (first, second) = (Box(manager), Box(manager))
        first.set(1)
        second.set(1)
        manager.removeAllActions(withTarget: first)
        manager.undo()
        #expect(first.value == 1 && second.value == 0)
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo)
    }

    @Test func `a group's name goes with it to redo and back`() {
        let box = Box(manager)
        box.set(1)
        manager.setActionName("Rename")
        #expect(manager.undoActionName == "Rename" && manager.redoActionName == "")
        manager.undo()
        #expect(manager.redoActionName == "Rename" && manager.undoActionName == "")
        manager.redo()
        #expect(manager.undoActionName == "Rename")
    }

    @Test func `calls without anything to do do nothing`() {
        manager.undo()
        manager.redo()
        manager.endUndoGrouping()
        manager.undoNestedGroup()
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        #expect(!manager.canUndo && manager.groupingLevel == 0)
        let box = Box(manager)
        box.set(1)
        manager.registerUndo(withTarget: box) { $0.manager.undo() }
        manager.undo()
        #expect(box.value == 0 && !manager.isUndoing)
    }
}
