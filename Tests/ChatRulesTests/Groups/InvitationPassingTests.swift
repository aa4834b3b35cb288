import Testing

@testable import ChatRules

@Suite("Invitations between members, and indexes that others get")
struct InvitationPassingTests {
    /// The vector of a member after a change, with the answer of that change.
    private func passing(to index: Int64, in relations: MemberRelations) -> (isPassed: Bool, after: MemberRelations) {
        var relations = relations
        return (relations.passInvitation(to: index), relations)
    }

    private func forgetting(_ index: Int64, in relations: MemberRelations) -> (wasKnown: Bool, after: MemberRelations) {
        var relations = relations
        return (relations.forget(index), relations)
    }

    @Test("an invitation is passed on once, to a member who was introduced to the one who invites")
    func once() {
        var relations = MemberRelations()
        relations.introduce(0, isIntroducedToSubject: true)
        let first = passing(to: 0, in: relations)
        #expect(first.isPassed && !passing(to: 0, in: first.after).isPassed)
        #expect(first.after[0] == .introduced && first.after.forwardedIndexes == [0], "the two are not connected yet")
        var again = first.after
        again.introduce(0, isIntroducedToSubject: true)
        #expect(passing(to: 0, in: again).isPassed, "a new introduction takes a new invitation")
    }

    @Test("an invitation is not passed on against the direction of the introduction, without one, or to those who are connected")
    func refused() {
        var relations = MemberRelations()
        relations.introduce(1, isIntroducedToSubject: false)
        for index in [Int64.min, -1, 0, 1, 2, .max] {
            let (isPassed, after) = passing(to: index, in: relations)
            #expect(!isPassed && after == relations, "\(index)")
        }
        for report in [MemberRelation.subjectConnected, .referencedConnected] {
            relations.introduce(3, isIntroducedToSubject: true)
            relations.connect(3, reported: report)
            #expect(!passing(to: 3, in: relations).isPassed)
        }
    }

    @Test("the report of a connection keeps what is known of the invitation")
    func reports() {
        var relations = MemberRelations()
        relations.introduce(2, isIntroducedToSubject: true)
        relations = passing(to: 2, in: relations).after
        relations.connect(2, reported: .subjectConnected)
        #expect(relations.bytes == [0, 0, 0x18 | MemberRelation.subjectConnected.rawValue])
    }

    @Test("a member whose index another one gets is forgotten, once")
    func forgotten() {
        var relations = MemberRelations()
        relations.introduce(1, isIntroducedToSubject: true)
        relations.introduce(2, isIntroducedToSubject: false)
        #expect(relations.introducedIndexes == [1, 2])
        let first = forgetting(1, in: relations)
        #expect(first.wasKnown && !forgetting(1, in: first.after).wasKnown)
        #expect(first.after[1] == .new && first.after.introducedIndexes == [2])
        for index in [Int64.min, -1, 0, 3, .max] { #expect(!forgetting(index, in: relations).wasKnown, "\(index)") }
    }

    @Test("the vector grows to the index that is set, and no further")
    func growth() {
        var relations = MemberRelations()
        relations.introduce(0, isIntroducedToSubject: false)
        #expect(relations.bytes.count == 1)
        relations.introduce(4, isIntroducedToSubject: false)
        relations.introduce(2, isIntroducedToSubject: false)
        #expect(relations.bytes == [1, 0, 1, 0, 1])
        #expect(relations[4] == .introduced && relations[5] == .new)
        relations.introduce(MemberRelations.largestIndex, isIntroducedToSubject: false)
        #expect(relations[MemberRelations.largestIndex] == .introduced)
    }
}
