import Testing
import VectorSupport

@testable import SMPAgent

@Suite struct MessageIntegrityTests {
    @Test(arguments: try Vectors.cases("agent_messages", kinds: "msg-integrity"))
    func `Every recorded integrity prints and parses as recorded`(vector: VectorCase) throws {
        let text = try #require(vector["str"].string)
        let integrity = try #require(MessageIntegrity(text))
        #expect(integrity.description == text)
    }

    @Test(arguments: ["", "ok", "ERR", "ERR NO_ID 3", "ERR NO_ID a b", "ERR ID", "ERR HASH ", "OK OK"])
    func `Text that is no integrity is refused`(text: String) {
        #expect(MessageIntegrity(text) == nil)
    }

    @Test func `A message that follows with the right hash is whole`() {
        #expect(MessageIntegrity.check(previousID: 4, previousHash: [1], id: 5, claimedPreviousHash: [1]) == .ok)
        #expect(MessageIntegrity.check(previousID: 0, previousHash: [], id: 1, claimedPreviousHash: []) == .ok)
    }

    @Test func `Faults are told apart by the numbers first and by the hash last`() {
        func check(_ id: Int64, _ hash: [UInt8]) -> MessageIntegrity {
            MessageIntegrity.check(previousID: 4, previousHash: [1], id: id, claimedPreviousHash: hash)
        }
        #expect(check(5, [2]) == .badHash)
        #expect(check(4, [1]) == .duplicate)
        #expect(check(3, [1]) == .badID(3))
        #expect(check(7, [1]) == .skipped(from: 5, to: 6))
        #expect(check(7, [2]) == .skipped(from: 5, to: 6))
    }
}
