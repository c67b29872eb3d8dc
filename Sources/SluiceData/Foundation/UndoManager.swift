// Foundation has no undo manager on this platform. There is no event loop here either, so that a group which was opened for an edit, rather
// than by `beginUndoGrouping`, ends at the next undo, redo, or `endEvent`; a context ends it when it saves.

/// Remembers how to take edits back.
///
///     context.undoManager = UndoManager()
///     note.title = "New"
///     context.undoManager?.undo()
///
/// It is used where its context is used: it is not Sendable. Targets are not kept alive; edits of a target that is gone are skipped.
public final class UndoManager {
    /// A manager with nothing to undo.
    public init() {}

    // MARK: What it remembers

    private struct Edit {
        weak var target: AnyObject?
        let undo: (AnyObject) -> Void
    }

    private struct Group {
        var edits: [Edit] = []
        var actionName = ""
        /// Opened for an edit, and closed at the end of its event.
        var isImplicit = false
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    /// Open groups, the outermost first.
    private var open: [Group] = []
    private var disableCount = 0
    private enum Activity { case none, undoing, redoing }
    private var activity = Activity.none

    // MARK: Settings

    /// How many groups can be undone; 0 means any number. The oldest go first.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    /// Whether an edit outside any group opens one. Where not, such an edit is a group of its own.
    public var groupsByEvent = true

    /// Whether edits are registered at the moment.
    public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Edits are not registered until as many calls of `enableUndoRegistration` follow.
    public func disableUndoRegistration() { disableCount += 1 }

    /// Ends what one call of `disableUndoRegistration` began; without one it does nothing.
    public func enableUndoRegistration() { disableCount = max(0, disableCount - 1) }

    // MARK: Registering

    /// Remembers how to take back the edit that is being made. While it undoes, the edit goes to what can be redone.
    public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        guard isUndoRegistrationEnabled else { return }
        if activity == .none { redoStack.removeAll() }
        let edit = Edit(target: target) { object in (object as? Target).map(handler) }
        if open.isEmpty { open.append(Group(isImplicit: true)) }
        open[open.count - 1].edits.append(edit)
        if !groupsByEvent { endEvent() }
    }

    /// How many groups are open, one within the other.
    public var groupingLevel: Int { open.count }

    /// What is registered until `endUndoGrouping` is undone together.
    public func beginUndoGrouping() {
        // Edits before it are another matter, although no event has ended since.
        endEvent()
        open.append(Group())
    }

    /// Closes the innermost group; without an open one it does nothing.
    public func endUndoGrouping() {
        guard let group = open.popLast() else { return }
        close(group)
    }

    /// Closes the group that was opened for an edit; what comes next is undone apart from it.
    package func endEvent() {
        while open.last?.isImplicit == true { endUndoGrouping() }
    }

    private func close(_ group: Group) {
        guard !group.edits.isEmpty else { return }
        if open.isEmpty {
            if activity == .undoing { redoStack.append(group) } else { undoStack.append(group) }
            trim()
        } else {
            open[open.count - 1].edits += group.edits
            if open[open.count - 1].actionName.isEmpty { open[open.count - 1].actionName = group.actionName }
        }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Undoing and redoing

    /// Whether `undo()` is under way.
    public var isUndoing: Bool { activity == .undoing }
    /// Whether `redo()` is under way.
    public var isRedoing: Bool { activity == .redoing }
    /// Whether there is an edit to take back, in a group that is open too.
    public var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.edits.isEmpty } }
    /// Whether there is an edit to make again.
    public var canRedo: Bool { !redoStack.isEmpty }
    /// How many closed groups can be undone.
    public var undoCount: Int { undoStack.count }
    /// How many groups can be redone.
    public var redoCount: Int { redoStack.count }

    /// Closes what is open and takes the last group back. Without one, and while undoing or redoing, it does nothing.
    public func undo() {
        guard activity == .none else { return }
        while !open.isEmpty { endUndoGrouping() }
        undoNestedGroup()
    }

    /// Takes the last closed group back.
    public func undoNestedGroup() {
        guard activity == .none, let group = undoStack.popLast() else { return }
        replay(group, as: .undoing)
    }

    /// Makes the edits again that the last undo took back. Without any, and while undoing or redoing, it does nothing.
    public func redo() {
        guard activity == .none else { return }
        while !open.isEmpty { endUndoGrouping() }
        guard let group = redoStack.popLast() else { return }
        replay(group, as: .redoing)
    }

    private func replay(_ group: Group, as kind: Activity) {
        activity = kind
        open.append(Group(actionName: group.actionName))
        for edit in group.edits.reversed() {
            if let target = edit.target { edit.undo(target) }
        }
        // The edits may have opened groups and left them open.
        while !open.isEmpty { endUndoGrouping() }
        activity = .none
    }

    // MARK: Forgetting

    /// Forgets everything, open groups included.
    public func removeAllActions() {
        undoStack.removeAll()
        redoStack.removeAll()
        open.removeAll()
    }

    /// Forgets every edit of one target.
    public func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        func without(_ groups: [Group]) -> [Group] {
            groups.map { group in
                var group = group
                group.edits.removeAll { $0.target === target }
                return group
            }
        }
        undoStack = without(undoStack).filter { !$0.edits.isEmpty }
        redoStack = without(redoStack).filter { !$0.edits.isEmpty }
        open = without(open)
    }

    // MARK: Names

    /// Names what is being registered: the innermost open group, else the last closed one.
    public func setActionName(_ actionName: String) {
        if !open.isEmpty {
            open[open.count - 1].actionName = actionName
        } else if !undoStack.isEmpty {
            undoStack[undoStack.count - 1].actionName = actionName
        }
    }

    /// The name of what `undo()` would take back; empty without one.
    public var undoActionName: String { open.last { !$0.edits.isEmpty }?.actionName ?? undoStack.last?.actionName ?? "" }
    /// The name of what `redo()` would make again; empty without one.
    public var redoActionName: String { redoStack.last?.actionName ?? "" }
}
