import SMPWire
import Testing

@testable import ChatRules

@Suite("The relations of members")
struct MemberRelationsTests {
    @Test("an introduction asks for forwarding a member's messages until that member reports the connection")
    func forwarding() {
        var relations = MemberRelations()
        relations.introduce(3, isIntroducedToSubject: true)
        relations.introduce(5, isIntroducedToSubject: false)
        #expect(relations.forwardedIndexes == [3, 5])
        relations.connect(3, reported: .subjectConnected)
        #expect(relations[3] == .subjectConnected && relations.forwardedIndexes == [5])
        relations.connect(3, reported: .referencedConnected)
        #expect(relations[3] == .connected)
        // The report of the other one may overtake messages that were left to us.
        relations.connect(5, reported: .referencedConnected)
        #expect(relations[5] == .referencedConnected && relations.forwardedIndexes == [5])
        relations.connect(5, reported: .subjectConnected)
        #expect(relations[5] == .connected && relations.forwardedIndexes.isEmpty)
        // Who was introduced to whom stays known.
        #expect(relations.bytes[3] & 0x08 == 0x08 && relations.bytes[5] & 0x08 == 0)
    }

    @Test("reports that come again, too late or never had an introduction change nothing that matters")
    func repeatedReports() {
        var relations = MemberRelations()
        for report in [MemberRelation.connected, .referencedConnected, .subjectConnected] { relations.connect(2, reported: report) }
        #expect(relations == MemberRelations())
        relations.introduce(2, isIntroducedToSubject: true)
        relations.connect(2, reported: .connected)
        relations.connect(2, reported: .referencedConnected)
        relations.connect(2, reported: .referencedConnected)
        #expect(relations[2] == .referencedConnected)
        relations.connect(2, reported: .subjectConnected)
        relations.connect(2, reported: .referencedConnected)
        #expect(relations[2] == .connected)
    }

    @Test("indexes outside of any group neither end the process nor take memory")
    func bounds() {
        var relations = MemberRelations()
        for index in [-1, Int64.min, Int64.max, MemberRelations.largestIndex + 1] {
            relations.introduce(index, isIntroducedToSubject: true)
            relations.connect(index, reported: .subjectConnected)
            #expect(relations[index] == .new)
        }
        #expect(relations.bytes.isEmpty)
        // Bytes of other versions are read as far as they are understood.
        #expect(MemberRelations([0xFF, 0x07, 0x0C, 0x01])[2] == .connected)
        #expect(MemberRelations([0xFF, 0x07, 0x0C, 0x01])[0] == .new)
    }
}
