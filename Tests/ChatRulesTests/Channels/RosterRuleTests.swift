import ChatAPI
import SMPCrypto
import SMPWire
import TestSupport
import Testing

@testable import ChatProtocol
@testable import ChatRules

@Suite("Decisions about rosters")
struct RosterRuleTests {
    private static let keys = (1...9).map { Ed25519.generateKeyPair(SeededRandomSource(seed: $0)).publicKey }

    private func version(_ number: Int64) -> RosterVersion { RosterVersion(rawValue: number) ?? .first }
    private func state(_ number: Int64?, complete: Int64? = nil) -> RosterState { RosterState(version: number.map(version), complete: complete.map(version)) }

    private func member(
        _ number: UInt8, _ role: GroupMemberRole, key: Ed25519.PublicKey? = nil, _ category: GroupMemberCategory = .post,
        _ status: GroupMemberStatus = .announced
    ) -> GroupMember {
        let profile = LocalProfile(Profile(displayName: "m\(number)", fullName: ""), id: 1, alias: "")
        return GroupMember(
            groupMemberID: GroupMemberID(Int64(number)), groupID: 1, memberID: MemberID([number]), role: role, category: category, status: status,
            settings: GroupMemberSettings(showsMessages: true), invitedBy: .unknown, localDisplayName: "m\(number)", profile: profile, profileID: 1,
            chatVersions: ChatVersionRange(minVersion: 1, maxVersion: 19), createdAt: UTCTimestamp(seconds: 0), updatedAt: UTCTimestamp(seconds: 0),
            publicKey: key?.wireString)
    }

    private func group(_ membership: GroupMember) -> GroupInfo {
        GroupInfo(
            groupID: 1, usesRelays: true, localDisplayName: "news", groupProfile: GroupProfile(displayName: "news", fullName: ""),
            fullGroupPreferences: FullGroupPreferences(nil), membership: membership,
            chatSettings: ChatSettings(notifications: .all, sendsReceipts: nil, isFavorite: false), createdAt: UTCTimestamp(seconds: 0),
            updatedAt: UTCTimestamp(seconds: 0), groupSummary: GroupSummary(currentMembers: 1))
    }

    // MARK: Versions

    @Test("a signed change of an owner counts from the version on that is known, and a gap shows")
    func gate() {
        for role in [GroupMemberRole.admin, .moderator, .member, .relay, .observer] { #expect(RosterGate(version(3), by: role, after: state(9)) == .pass) }
        #expect(RosterGate(nil, by: .owner, after: state(9)) == .pass)
        #expect(RosterGate(nil, concernsRoster: true, by: .owner, after: state(nil)) == .pass, "the channel has no roster yet")
        #expect(RosterGate(nil, concernsRoster: true, by: .owner, after: state(0)) == .refuse, "owners of channels with rosters name the version")
        #expect(RosterGate(nil, concernsRoster: true, by: .admin, after: state(0)) == .pass, "the rights decide about it")
        #expect(RosterGate(version(0), by: .owner, after: state(nil)) == .advance(state(0, complete: 0), hasGap: false))
        #expect(RosterGate(version(4), by: .owner, after: state(3, complete: 3)) == .advance(state(4, complete: 4), hasGap: false))
        #expect(RosterGate(version(4), by: .owner, after: state(4, complete: 4)) == .advance(state(4, complete: 4), hasGap: false), "one of several changes")
        #expect(RosterGate(version(6), by: .owner, after: state(4, complete: 4)) == .advance(state(6, complete: 4), hasGap: true))
        #expect(RosterGate(version(7), by: .owner, after: state(6, complete: 4)) == .advance(state(7, complete: 4), hasGap: true), "the gap stays")
        #expect(RosterGate(version(1), by: .owner, after: state(nil)) == .advance(state(1), hasGap: true))
        #expect(RosterGate(version(3), by: .owner, after: state(4, complete: 4)) == .refuse)
    }

    @Test("a roster counts if an owner has signed it, its list is within limits, and nothing newer is known")
    func offers() {
        let id = SharedMessageID([1]), list = InlineFileInvitation(of: RosterList([]).wireBytes), me = member(1, .observer, key: nil, .user)
        func decide(
            _ roster: GroupRoster, id: SharedMessageID? = id, by role: GroupMemberRole = .owner, to membership: GroupMember? = nil,
            _ known: RosterState = RosterState(), pending: RosterVersion? = nil
        ) -> RosterOfferDecision { RosterOfferDecision(roster, id: id, by: role, to: membership ?? me, known, pending: pending) }
        func isRefused(_ decision: RosterOfferDecision) -> Bool { if case .refuse = decision { true } else { false } }
        let roster = GroupRoster(version: version(5), list: list)
        #expect(decide(roster) == .accept)
        #expect(decide(roster, state(5, complete: 5)) == .accept, "a signed change may have come first")
        #expect(decide(roster, to: member(1, .owner)) == .ignore)
        for role in [GroupMemberRole.relay, .observer, .member, .moderator, .admin] { #expect(isRefused(decide(roster, by: role)), "\(role)") }
        #expect(isRefused(decide(roster, state(6))) && isRefused(decide(roster, pending: version(6))) && isRefused(decide(roster, id: nil)))
        for size in [Int64.min, -1, 0, 1, Int64(ChatLimits.rosterBytes) + 1, .max] {
            #expect(isRefused(decide(GroupRoster(version: version(5), list: InlineFileInvitation(size: size, digest: list.digest)))), "\(size) bytes")
        }
        for count in [1, 32, 63, 65] {
            let digest = Base64URLBytes(Bytes(repeating: 1, count: count))
            #expect(isRefused(decide(GroupRoster(version: version(5), list: InlineFileInvitation(size: 2, digest: digest)))), "\(count) bytes")
        }
    }

    @Test("chunks of a list come in order, each with its size; the first one begins anew")
    func chunks() {
        let largest = InlineChunks.largest, size = 2 * largest + 10
        func decide(_ number: UInt8, _ count: Int64, after received: Int64) -> RosterChunkDecision {
            RosterChunkDecision(number, bytes: Int(count), size: size, received: received)
        }
        #expect(decide(1, largest, after: 0) == .append(fromStart: true, isLast: false))
        #expect(decide(2, largest, after: largest) == .append(fromStart: false, isLast: false))
        #expect(decide(3, 10, after: 2 * largest) == .append(fromStart: false, isLast: true))
        #expect(decide(1, largest, after: 2 * largest) == .append(fromStart: true, isLast: false))
        #expect(decide(2, largest, after: 2 * largest) == .ignore)
        for (number, count, received) in [
            (UInt8(0), Int64(10), Int64(-1)), (2, largest, 0), (3, 10, largest), (1, 10, 0), (1, 0, 0), (2, largest + 1, largest), (3, 9, 2 * largest),
            (3, largest, 2 * largest), (4, 10, 2 * largest), (255, 10, 2 * largest),
        ] { #expect(decide(number, count, after: received) != .append(fromStart: false, isLast: true), "chunk \(number) of \(count) bytes") }
        #expect(decide(3, 9, after: 2 * largest) == .drop && decide(4, 10, after: 2 * largest) == .drop && decide(2, largest, after: 0) == .drop)
        #expect(RosterChunkDecision(1, bytes: 2, size: 2, received: 0) == .append(fromStart: true, isLast: true))
    }

    // MARK: The list

    @Test("a roster adds members, pins keys, gives roles, and takes them from those who are not on it")
    func application() {
        let new = RosterMember(memberID: MemberID([1]), key: Self.keys[1], role: .moderator)
        let unkeyed = member(2, .observer), promoted = member(3, .member, key: Self.keys[3]), same = member(4, .admin, key: Self.keys[4])
        let gone = member(5, .moderator, key: Self.keys[5]), me = member(9, .observer, key: Self.keys[8], .user)
        let list = RosterList([
            new, RosterMember(memberID: unkeyed.memberID, key: Self.keys[2], role: .member),
            RosterMember(memberID: promoted.memberID, key: Self.keys[3], role: .admin), RosterMember(memberID: same.memberID, key: Self.keys[4], role: .admin),
            RosterMember(memberID: me.memberID, key: Self.keys[8], role: .moderator),
        ])
        let known = Dictionary(uniqueKeysWithValues: [unkeyed, promoted, same].map { ($0.memberID, $0) })
        let result = RosterApplication(list, known: known, listed: [promoted, same, gone], in: group(me), defaultRole: .observer)
        #expect(
            result.changes == [
                .add(new), .set(unkeyed, role: .member, key: Self.keys[2]), .set(promoted, role: .admin, key: nil), .set(me, role: .moderator, key: nil),
                .set(gone, role: .observer, key: nil),
            ])
        #expect(result.conflicts.isEmpty)
    }

    @Test("a roster changes no key of an earlier one, no owner and no relay, and lists nobody twice or as an owner")
    func refusals() {
        let keyed = member(1, .member, key: Self.keys[1]), owner = member(2, .owner, key: Self.keys[2]), relay = member(3, .relay, key: Self.keys[3])
        let removed = member(4, .moderator, key: Self.keys[4], .post, .removed), me = member(9, .observer, key: Self.keys[8], .user)
        func entry(_ number: UInt8, _ key: Int, _ role: GroupMemberRole = .moderator) -> RosterMember {
            RosterMember(memberID: MemberID([number]), key: Self.keys[key], role: role)
        }
        let bound = MemberID(Bytes(repeating: 1, count: BoundMemberID.length))
        let list = RosterList([
            entry(1, 5), entry(2, 5), entry(3, 5), entry(4, 4), entry(5, 5, .owner), entry(6, 5, .relay), entry(7, 5, .observer), entry(8, 6),
            entry(8, 7, .admin),
            entry(9, 5), RosterMember(memberID: bound, key: Self.keys[5], role: .admin), RosterMember(memberID: MemberID([]), key: Self.keys[5], role: .admin),
        ])
        let known = Dictionary(uniqueKeysWithValues: [keyed, owner, relay, removed].map { ($0.memberID, $0) })
        let result = RosterApplication(list, known: known, listed: [keyed, removed], in: group(me), defaultRole: .observer)
        #expect(result.changes == [.add(entry(8, 6))])
        #expect(result.conflicts == [MemberID([1]), MemberID([9]), bound])
    }

    @Test("an owner's key replaces one that a relay has claimed, but none that the relay itself has from the member")
    func claimedKeys() {
        let claimed = member(1, .observer, key: Self.keys[1])
        #expect(RosterKeyDecision(Self.keys[2], of: claimed, isServedHere: false) == .pin)
        #expect(RosterKeyDecision(Self.keys[2], of: claimed, isServedHere: true) == .refuse)
        #expect(RosterKeyDecision(Self.keys[1], of: claimed, isServedHere: true) == .keep)
        #expect(RosterKeyDecision(Self.keys[2], of: member(1, .moderator, key: Self.keys[1]), isServedHere: false) == .refuse)
    }

    @Test("who is on the roster no more has the default role, this profile too")
    func demotion() {
        let me = member(9, .moderator, key: Self.keys[8], .user), other = member(1, .admin, key: Self.keys[1])
        let result = RosterApplication(RosterList([]), known: [:], listed: [other], in: group(me), defaultRole: .commenter)
        #expect(result.changes == [.set(other, role: .commenter, key: nil), .set(me, role: .commenter, key: nil)])
    }

    @Test("the list has members with a role of the roster and a known key")
    func list() {
        let members = [
            member(1, .owner, key: Self.keys[1]), member(2, .admin, key: Self.keys[2]), member(3, .moderator), member(4, .member, key: Self.keys[4]),
            member(5, .observer, key: Self.keys[5]), member(6, .relay, key: Self.keys[6]), member(7, .commenter, key: Self.keys[7]),
        ]
        #expect(RosterRules.rosterList(of: members).members.map(\.memberID) == [MemberID([2]), MemberID([4])])
    }

    // MARK: Relays

    @Test("a relay gives its roster for each version once, and only a newer one")
    func serving() {
        #expect(!RosterRules.answers(stored: nil, requested: nil, served: nil))
        #expect(RosterRules.answers(stored: .first, requested: nil, served: nil))
        #expect(!RosterRules.answers(stored: .first, requested: .first, served: nil) && !RosterRules.answers(stored: .first, requested: nil, served: .first))
        #expect(RosterRules.answers(stored: version(3), requested: version(1), served: version(2)))
        #expect(!RosterRules.answers(stored: version(3), requested: version(1), served: version(3)))
    }

    @Test("subscribers come by a relay once it has acknowledged the roster, or at once if it knows none")
    func publishing() {
        for status in [RelayStatus.new, .invited, .inactive, .rejected] {
            #expect(!RosterRules.isPublishable(status, knowsRosters: true) && !RosterRules.isPublishable(status, knowsRosters: false))
        }
        for status in [RelayStatus.acknowledgedRoster, .active] {
            #expect(RosterRules.isPublishable(status, knowsRosters: true) && RosterRules.isPublishable(status, knowsRosters: false))
        }
        #expect(RosterRules.isPublishable(.accepted, knowsRosters: false) && !RosterRules.isPublishable(.accepted, knowsRosters: true))
    }

    @Test("an acknowledgement counts for the present roster, from a relay that is being set up")
    func acknowledgements() {
        func decide(_ number: Int64, error: String? = nil, _ status: RelayStatus?) -> RosterAcknowledgementDecision {
            RosterAcknowledgementDecision(version(number), error: error, by: status, current: version(4))
        }
        #expect(decide(4, .accepted) == .publish && decide(3, .accepted) == .wait && decide(5, .accepted) == .wait)
        #expect(decide(4, error: "full", .accepted) == .reject("full"))
        for status in [nil, RelayStatus.new, .invited, .acknowledgedRoster, .active, .inactive, .rejected] {
            #expect(decide(4, status) == .ignore && decide(4, error: "full", status) == .ignore)
        }
    }

    @Test("who knows whom takes a bit for each member, in pages that are read and written one by one")
    func introductions() {
        var known = IntroducedMembers()
        let indexes: [Int64] = [0, 1, 7, 8, 2_047, 2_048, 100_000]
        for index in indexes { known.introduce(to: index) }
        for index in indexes { #expect(known.isKnown(to: index) && !known.isKnown(to: index + 2), "\(index)") }
        #expect(!known.isKnown(to: -1))
        known.introduce(to: -1)
        #expect(known.changed == [0, 1, 48] && known.bits(ofPage: 0).count == 256 && known.bits(ofPage: 1) == [1] && known.bits(ofPage: 2).isEmpty)
        #expect(IntroducedMembers.pageNumbers(of: [-5, 3, 2_047, 2_048, 4_100]) == [0, 1, 2])
        var again = IntroducedMembers([0: known.bits(ofPage: 0)])
        again.introduce(to: 7)
        #expect(again.changed.isEmpty && again.isKnown(to: 8) && !again.isKnown(to: 2_048))
    }
}
