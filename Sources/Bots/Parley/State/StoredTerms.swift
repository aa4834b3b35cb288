internal import ChatProtocol
internal import Foundation
internal import GRDB

/// The terms of cases and warnings in stored values: the time at which each began, and the time at which it ends.
///
/// Like the times of timers, they may have been taken from a clock that was wrong: then they would end at once, or not for years.
enum StoredTerms {
    /// The values of Parley's own that hold terms. Those of bots mean what bots say.
    private static let names = [ModerationRecord.stateName, WarningRecord.stateName, "parley.rules"]

    /// Tells whether there can be terms to correct: only if the last clock was another one than that of now.
    ///
    /// - Parameter seen: the last time that is known to have been shown before; nil if none is.
    static func mayBeWrong(at now: Double, seen: Double?) -> Bool {
        guard let seen else { return true }
        return TimerTimes(setAt: seen, due: seen).corrected(at: now, seen: nil) != nil
    }

    /// Corrects deadlines that were set while the clock was wrong to their remaining time, like timers.
    static func correct(_ db: Database, at now: Double, seen: Double?) throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT user_id, scope, name, value FROM state WHERE name IN (\(names.map { _ in "?" }.joined(separator: ",")))",
            arguments: StatementArguments(names))
        for row in rows {
            // The reader of an unreadable value gets the error.
            guard let stored = try? JSONValue(parsing: Array(row["value"] as Data)), let corrected = corrected(stored, at: now, seen: seen) else { continue }
            try db.execute(
                sql: "UPDATE state SET value = ? WHERE user_id = ? AND scope = ? AND name = ?",
                arguments: [Data(corrected.text.utf8), row["user_id"] as Int64, row["scope"] as String, row["name"] as String])
        }
    }

    /// - Returns: nil if nothing changes.
    private static func corrected(_ value: JSONValue, at now: Double, seen: Double?) -> JSONValue? {
        guard case .object(var record) = value else { return nil }
        var hasChanged = false
        for key in ["cases", "warnings"] {
            guard let terms = record[key]?.arrayValue else { continue }
            let right = terms.map { correctedTerm($0, at: now, seen: seen) }
            guard right.contains(where: { $0 != nil }) else { continue }
            record[key] = .array(zip(right, terms).map { $0 ?? $1 })
            hasChanged = true
        }
        return hasChanged ? .object(record) : nil
    }

    /// - Returns: nil for a term that keeps its times, never ends, or has ended.
    private static func correctedTerm(_ value: JSONValue, at now: Double, seen: Double?) -> JSONValue? {
        guard case .object(var term) = value, let begin = term["time"]?.numberValue?.double, let end = term["expires"]?.numberValue?.double,
            term["undoneBy"]?.isNull ?? true
        else { return nil }
        var times = TimerTimes(setAt: begin, due: end)
        if let before = term["uncorrected"], let setAt = before["setAt"]?.numberValue?.double, let due = before["due"]?.numberValue?.double {
            times.original = .init(setAt: setAt, due: due)
        }
        guard let right = times.corrected(at: now, seen: seen) else { return nil }
        let isRestored = times.original != nil && right.original == nil
        // The time that has passed since it began is kept.
        term["time"] = json(isRestored ? right.setAt : begin + right.due - end)
        term["expires"] = json(right.due)
        term["uncorrected"] = right.original.map { .object(JSONObject([("setAt", json($0.setAt)), ("due", json($0.due))])) }
        return .object(term)
    }

    private static func json(_ time: Double) -> JSONValue { JSONNumber(time).map(JSONValue.number) ?? .null }
}
