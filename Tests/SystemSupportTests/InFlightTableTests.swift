import Foundation
import TestSupport
import Testing

@testable import SystemSupport

/// The file that says what is being processed.
@Suite final class InFlightTableTests {
    private let folder: TemporaryFolder
    private var path: String { folder("inflight") }

    init() throws { folder = try TemporaryFolder() }

    private func key(_ text: String) throws -> InFlightKey { try #require(InFlightKey(Array(text.utf8))) }

    @Test func theNextProcessFindsWhatWasNotEnded() throws {
        var table: InFlightTable? = try InFlightTable(path: path, slots: 3)
        #expect(table?.leftBehind == [])
        _ = table?.begin(try key("a"))
        let ended = table?.begin(try key("b"))
        _ = table?.begin(try key("c"))
        table?.end(ended)
        // A process that dies writes nothing more.
        table = nil
        for _ in 1...2 {
            // Also when one looked and did not count.
            #expect(Set(try InFlightTable(path: path, slots: 3).leftBehind) == [try key("a"), try key("c")])
        }
        try InFlightTable(path: path, slots: 3).forgetLeftBehind()
        #expect(try InFlightTable(path: path, slots: 3).leftBehind == [])
    }

    @Test func theNextProcessLearnsOfACrashUntilItHasCountedIt() throws {
        #expect(try InFlightTable(path: path, slots: 3).previousEnd == .kill)
        _ = try InFlightTable(path: path, slots: 3).begin(try key("a"))
        try crash()
        for slots in [3, 2] {
            let table = try InFlightTable(path: path, slots: slots)
            #expect(table.previousEnd == .crash)
            #expect(table.leftBehind == [try key("a")])
        }
        try InFlightTable(path: path, slots: 3).forgetLeftBehind()
        let table = try InFlightTable(path: path, slots: 3)
        #expect(table.previousEnd == .kill && table.leftBehind == [])
    }

    /// Sets the byte that the handler of signals sets.
    private func crash() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 16)
        try file.write(contentsOf: Data([1]))
        try file.close()
    }

    @Test func aTableOfAnotherSizeKeepsWhatIsInIt() throws {
        _ = try InFlightTable(path: path, slots: 64).begin(try key("a"))
        #expect(try InFlightTable(path: path, slots: 2).leftBehind == [try key("a")])
        #expect(try InFlightTable(path: path, slots: 128).leftBehind == [try key("a")])
    }

    @Test func whatDoesNotFitIsNotNotedAndASlotCanBeUsedAgain() throws {
        let table = try InFlightTable(path: path, slots: 1), first = table.begin(try key("a"))
        #expect(first != nil)
        #expect(table.begin(try key("b")) == nil)
        table.end(nil)
        table.end(first)
        #expect(table.begin(try key("b")) != nil)
        #expect(try InFlightTable(path: path, slots: 1).leftBehind == [try key("b")])
    }

    @Test(arguments: [false, true])
    func whatIsEndedTwiceTakesNothingFromWhatHasItsSlotNow(_ isBegun: Bool) throws {
        let table = try InFlightTable(path: path, slots: 2), ended = table.begin(try key("a"))
        table.end(ended)
        if isBegun { #expect(table.begin(try key("b")) != nil) }
        table.end(ended)
        if !isBegun { #expect(table.begin(try key("b")) != nil) }
        #expect(table.begin(try key("c")) != nil)
        #expect(table.begin(try key("d")) == nil)
        #expect(Set(try InFlightTable(path: path, slots: 2).leftBehind) == [try key("b"), try key("c")])
    }

    @Test func onlyTheOwnerCanReadIt() throws {
        _ = try InFlightTable(path: path, slots: 1)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(arguments: [
        [], Array("something else".utf8), Array("PARLEY inflight1".utf8), Array("PARLEY inflight2".utf8), Array("PARLEY inflight2".utf8) + [1],
        Array("PARLEY inflight2".utf8) + [UInt8](repeating: 0, count: 16) + [63, 1],
        Array("PARLEY inflight2".utf8) + [UInt8](repeating: 0, count: 16) + [200] + [UInt8](repeating: 1, count: 63),
    ])
    func aFileThatSaysNothingIsReplaced(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let table = try InFlightTable(path: path, slots: 2)
        #expect(table.leftBehind == [])
        _ = table.begin(try key("a"))
        #expect(try InFlightTable(path: path, slots: 2).leftBehind == [try key("a")])
    }

    @Test func aFolderOrALinkIsNoTable() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        #expect(throws: InFlightError.self) { try InFlightTable(path: path, slots: 1) }
        #expect(throws: InFlightError.self) { try InFlightTable(path: FileManager.default.temporaryDirectory.path, slots: 1) }
    }

    @Test func namesHaveABound() {
        #expect(InFlightKey([]) == nil)
        #expect(InFlightKey([UInt8](repeating: 1, count: 63)) != nil)
        #expect(InFlightKey([UInt8](repeating: 1, count: 64)) == nil)
    }
}
