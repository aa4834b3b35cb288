import Foundation
import Testing

@testable import Parley

/// The record of a group's cases, and the points of warnings.
@Suite struct ModerationRecordTests {
    private static func opened(
        _ number: Int, _ action: String = "block", member: Int64 = 1, roleBefore: String? = nil, evidence: String = "", expires: Double? = nil
    ) -> ModerationCase {
        ModerationCase(
            number: number, rule: "", action: action, member: member, name: "Ann", roleBefore: roleBefore, evidence: evidence, time: 0, expires: expires)
    }

    private static func record(_ cases: [ModerationCase]) -> ModerationRecord {
        var record = ModerationRecord()
        for new in cases { record.add(new) }
        return record
    }

    @Test func numbersAreNeverGivenTwiceWhoeverAsksForTheSame() {
        var record = Self.record([Self.opened(1), Self.opened(1), Self.opened(1)])
        #expect(record.cases.map(\.number) == [1, 2, 3] && record.next == 4)
        record.add(Self.opened(10))
        // One that took its number earlier, and is stored later.
        for _ in 1...2 { record.add(Self.opened(5)) }
        #expect(record.cases.map(\.number) == [1, 2, 3, 5, 10, 11] && record.next == 12)
    }

    @Test func theNewestTwoHundredAreKept() {
        let record = Self.record((1...ModerationRecord.maximumCases + 1).map { Self.opened($0) })
        #expect(record.cases.count == 200 && record.cases.first?.number == 2 && record.cases.last?.number == 201)
        #expect(record.open(1) == nil && record.open(2) != nil && record.open(202) == nil && record.open(0) == nil && record.open(.min) == nil)
    }

    @Test(arguments: [(0, 0), (199, 199), (200, 200), (201, 200), (50_000, 200)]) func theBeginningOfWhatWasSaidIsKept(_ length: Int, _ kept: Int) {
        let family = "👩‍👩‍👧"
        #expect(Self.opened(1, evidence: String(repeating: family, count: length)).evidence == String(repeating: family, count: kept))
    }

    @Test func withoutANumberTheNewestThatCanBeTakenBackIsMeant() {
        var record = Self.record([
            Self.opened(1, "warn"), Self.opened(2, "role"), Self.opened(3, "block"), Self.opened(4, "remove"), Self.opened(5, "moderate"),
        ])
        for expected in [3, 2, 1] {
            #expect(record.open(nil)?.number == expected)
            record.markUndone(expected, by: "Ben")
        }
        #expect(record.open(nil) == nil)
        record.markUndone(99, by: "Ben")
        #expect(record.cases.map(\.undoneBy) == ["Ben", "Ben", "Ben", nil, nil])
    }

    @Test(arguments: [
        ([opened(1), opened(2)], 1, true), ([opened(1), opened(2, member: 2)], 1, false), ([opened(1), opened(2, "role", roleBefore: "member")], 1, false),
        ([opened(1), opened(2, expires: 100)], 1, false), ([opened(1), opened(2, expires: 100.5)], 1, true), ([opened(1)], 1, false),
        ([opened(1), opened(2)], 2, true), ([opened(1, "warn"), opened(2, "warn")], 1, false),
        ([opened(1, "role", roleBefore: "member"), opened(2, "role", roleBefore: "observer")], 1, true),
        ([opened(1, "role", roleBefore: "member"), opened(2, "role", roleBefore: "observer")], 2, false),
    ]) func aBlockOutlastsAnotherAndALaterRoleAnEarlierOne(_ cases: [ModerationCase], _ number: Int, _ outlasts: Bool) throws {
        let record = Self.record(cases), found = try #require(record.open(number))
        #expect(record.outlasts(found, at: 100) == outlasts)
    }

    @Test func whatIsUndoneOutlastsNothing() throws {
        var record = Self.record([Self.opened(1), Self.opened(2)])
        record.markUndone(2, by: "Ben")
        #expect(try !record.outlasts(#require(record.open(1)), at: 0))
    }

    /// Three changes of a role, taken back in each order: the last leads back to the role before all of them.
    @Test(arguments: [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]) func rolesLeadBackToTheFirstInAnyOrder(_ order: [Int]) throws {
        let roles = ["admin", "member", "observer", "author"]
        var record = Self.record((1...3).map { Self.opened($0, "role", roleBefore: roles[$0 - 1]) }), role = roles[3]
        for number in order {
            let found = try #require(record.open(number))
            if !record.outlasts(found, at: 0) { role = try #require(found.roleBefore) }
            record.markUndone(number, by: "Ben")
        }
        #expect(role == "admin")
    }

    @Test func aMemberIsErasedFromItsOwnCasesOnly() {
        var record = Self.record([Self.opened(1, member: 1, evidence: "mine"), Self.opened(2, member: 2, evidence: "theirs"), Self.opened(3, member: 1)])
        record.erase(1)
        #expect(record.cases.map(\.name) == ["(deleted)", "Ann", "(deleted)"])
        #expect(record.cases.map(\.evidence) == ["", "theirs", ""])
        #expect(Self.opened(7, "role", roleBefore: "member", evidence: "words").ending.line == "7: role ", "a timer keeps no words")
    }

    @Test func aListShowsTheTenNewestFirst() {
        #expect(ModerationRecord().list == "No cases.")
        let lines = Self.record((1...11).map { Self.opened($0) }).list.split(separator: "\n")
        #expect(lines.count == 10 && lines.first == "11: block Ann" && lines.last == "2: block Ann")
    }

    @Test(arguments: [
        (opened(1, "block", evidence: "spam"), "1: block Ann: spam"), (opened(1).unconfirmed, "1: block Ann, perhaps not done"),
        (
            ModerationCase(
                number: 2, rule: "links", action: "warn", reason: "advertising", name: "Ben", evidence: "x", time: 0, undoneBy: "Cat", actor: "Dan"),
            "2: warn Ben, rule links, by Dan, advertising, undone by Cat: x"
        ),
    ]) func aCaseIsOneLine(_ opened: ModerationCase, _ line: String) { #expect(opened.line == line) }

    @Test func pointsCountUntilTheMomentAtWhichTheyExpire() {
        let warnings = [
            ModerationWarning(points: 1, expires: 10, number: 1), ModerationWarning(points: 2, expires: nil, number: 2),
            ModerationWarning(points: 4, expires: 20, number: 3),
        ]
        #expect([9.999, 10, 19.999, 20, 1e12].map { warnings.points(at: $0) } == [7, 6, 6, 2, 2])
    }

    @Test func aHundredWarningsAreRememberedAndThoseThatHaveExpiredMakeRoom() {
        var warnings: [ModerationWarning] = []
        for number in 1...101 { warnings.warn(ModerationWarning(points: 1, expires: nil, number: number), at: 0) }
        #expect(warnings.count == 100 && warnings.first?.number == 2)
        warnings[0].expires = 5
        warnings.warn(ModerationWarning(points: 1, expires: nil, number: 102), at: 5)
        #expect(warnings.count == 100 && warnings.first?.number == 3 && warnings.last?.number == 102)
        warnings.revoke(50)
        warnings.revoke(50)
        warnings.revoke(-1)
        #expect(warnings.points(at: 0) == 99)
    }
}
