import CSQLite

/// What a function over many rows has gathered so far. One object serves one group of rows.
package protocol SQLAggregate: AnyObject {
    init()
    /// Takes one row's arguments in.
    func step(_ call: borrowing SQLFunctionCall) throws
    func result() throws -> SQLiteValue
}

extension Connection {
    /// Makes a function over many rows, such as `sum`, that this connection's statements can call by `name`.
    package func register(_ name: String, argumentCount: Int, aggregate type: (some SQLAggregate).Type) throws(SQLiteError) {
        let maker = Unmanaged.passRetained(SQLAggregateMaker { type.init() })
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount), flags, maker.toOpaque(), nil,
            { context, count, arguments in
                guard let context, let state = SQLAggregateState.current(context) else { return }
                do {
                    try state.aggregate.step(SQLFunctionCall(context: context, arguments: arguments, count: Int(count)))
                } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            },
            { context in
                guard let context else { return }
                let call = SQLFunctionCall(context: context, arguments: nil, count: 0)
                do {
                    call.answer(try SQLAggregateState.finish(context)?.aggregate.result() ?? .null)
                } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            },
            { if let maker = $0 { Unmanaged<SQLAggregateMaker>.fromOpaque(maker).release() } })
        // SQLite lets go of the maker by itself where it refuses the function.
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }
}

private final class SQLAggregateMaker {
    let make: () -> any SQLAggregate
    init(_ make: @escaping () -> any SQLAggregate) { self.make = make }

    static func make(_ context: OpaquePointer) -> (any SQLAggregate)? {
        sqlite3_user_data(context).map { Unmanaged<SQLAggregateMaker>.fromOpaque($0).takeUnretainedValue().make() }
    }
}

/// The object of one group. SQLite keeps a pointer to it between rows, in memory of its own that begins as zeros.
private final class SQLAggregateState {
    let aggregate: any SQLAggregate
    init(_ aggregate: any SQLAggregate) { self.aggregate = aggregate }

    private static func slot(_ context: OpaquePointer, size: Int32) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    static func current(_ context: OpaquePointer) -> SQLAggregateState? {
        guard let slot = slot(context, size: Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)) else { return nil }
        if let kept = slot.pointee { return Unmanaged<SQLAggregateState>.fromOpaque(kept).takeUnretainedValue() }
        guard let aggregate = SQLAggregateMaker.make(context) else { return nil }
        let state = SQLAggregateState(aggregate)
        slot.pointee = Unmanaged.passRetained(state).toOpaque()
        return state
    }

    /// Takes the object out; a new one where there was no row.
    static func finish(_ context: OpaquePointer) -> SQLAggregateState? {
        guard let slot = slot(context, size: 0), let kept = slot.pointee else { return SQLAggregateMaker.make(context).map(SQLAggregateState.init) }
        slot.pointee = nil
        return Unmanaged<SQLAggregateState>.fromOpaque(kept).takeRetainedValue()
    }
}
