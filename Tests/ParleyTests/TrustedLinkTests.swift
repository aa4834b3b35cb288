import ChatAPI
import ChatProtocol
import Testing

@testable import Parley

/// Whose the links of trusted contacts are: at a start, in the folders of this version and of earlier ones.
@Suite struct TrustedLinkTests {
    /// A contact that has come by a connection.
    private func contact(_ id: ContactID, connection: ChatConnectionID, link alias: String = "", profileAlias: String = "") throws -> Contact {
        var contact = try ScriptedCore.contact(id, "somebody")
        var active = try #require(contact.activeConnection)
        (active.connectionID, active.agentConnectionID, active.localAlias) = (connection, "agent-\(connection)", alias)
        contact.activeConnection = active
        contact.profile.localAlias = profileAlias
        return contact
    }

    private func waiting(_ connection: ChatConnectionID, link alias: String) -> PendingContactConnection {
        let time = UTCTimestamp(seconds: 0)
        return PendingContactConnection(
            connectionID: connection, agentConnectionID: "agent-\(connection)", status: .new, viaContactURI: false, viaUserContactLink: nil,
            customUserProfileID: nil, invitationLink: CreatedConnectionLink(fullLink: "link \(connection)", shortLink: nil), localAlias: alias, createdAt: time,
            updatedAt: time)
    }

    private func chat(_ info: ChatInfo) -> Chat { Chat(chatInfo: info, chatItems: [], chatStats: ChatStats()) }

    private func links(_ contacts: [Contact], _ waiting: [PendingContactConnection] = []) -> TrustedLinks {
        TrustedLinks(contacts.map { chat(.direct(contact: $0)) } + waiting.map { chat(.contactConnection(contactConnection: $0)) })
    }

    private func found(_ state: TrustedLinks.State) -> (connection: String, contact: ContactID?, link: String?)? {
        guard case .found(let found) = state else { return nil }
        return (found.record.connection, found.record.contact, found.link?.fullLink)
    }

    @Test func aFolderOfAnEarlierVersionKeepsWhoCameByANamedLink() throws {
        let links = links(
            [
                try contact(7, connection: 30, link: "ann"), try contact(3, connection: 12, link: "ann", profileAlias: ""),
                // An alias of a profile may have come with a member.
                try contact(4, connection: 13, profileAlias: "ben"),
            ], [waiting(20, link: "ann"), waiting(21, link: "cem")])
        // The first who came is the one, whatever was printed and used later.
        let ann = try #require(found(links.state(of: "ann", nil)))
        #expect(ann.connection == "agent-12" && ann.contact == 3 && ann.link == nil)
        guard case .none = links.state(of: "ben", nil) else { Issue.record("an alias is no proof"); return }
        let cem = try #require(found(links.state(of: "cem", nil)))
        #expect(cem.connection == "agent-21" && cem.contact == nil && cem.link == "link 21")
    }

    @Test func whatIsStoredCountsAndNoAlias() throws {
        let record = TrustedContactRecord(connection: "agent-12", contact: 3)
        let other = try contact(9, connection: 40, link: "ann", profileAlias: "ann")
        let links = links([other, try contact(3, connection: 12)], [waiting(41, link: "ann")])
        let ann = try #require(found(links.state(of: "ann", record)))
        #expect(ann.connection == "agent-12" && ann.contact == 3 && ann.link == nil)
        // The contact has another connection now, or none: nobody has the name, and no second link is made.
        for connection in [nil, 40 as ChatConnectionID?] {
            var moved = try contact(3, connection: connection ?? 1)
            if connection == nil { moved.activeConnection = nil }
            guard case .disconnected = self.links([moved], []).state(of: "ann", record) else { Issue.record("\(connection as Any)"); return }
        }
        // The contact was deleted: the next one gets a link.
        guard case .none = self.links([other], []).state(of: "ann", record) else { Issue.record("deleted"); return }
    }

    @Test func theConnectionIsTheProof() throws {
        var people = TrustedPeople(names: ["ann", "ben"])
        people.add("ann", connection: "agent-12", contact: nil)
        let ann = try contact(3, connection: 12), stranger = try contact(4, connection: 13, link: "ann", profileAlias: "ann")
        #expect(people.name(of: ann) == "ann" && people.name(of: stranger) == nil)
        #expect(people.bind(ann) == "ann" && people.bind(ann) == nil && people.bind(stranger) == nil)
        // Another contact that is given the connection is somebody else.
        #expect(people.name(of: try contact(5, connection: 12)) == nil)
        var removed = TrustedPeople(names: ["ben"])
        removed.add("ann", connection: "agent-12", contact: 3)
        #expect(removed.name(of: ann) == nil, "a name that is not listed any more gives no rights")
    }

    @Test func aMemberIsTrustedByTheInvitationOfThisProfileAlone() throws {
        var people = TrustedPeople(names: ["ann"])
        people.add("ann", connection: "agent-12", contact: 3)
        var member = try ScriptedCore.recordedMember.get()
        (member.contactID, member.category, member.invitedBy) = (3, .invitee, .user)
        member.activeConnection?.level = 0
        member.activeConnection?.viaUserContactLink = nil
        #expect(people.name(of: member) == "ann")
        let changes: [(String, (inout GroupMember) -> Void)] = [
            ("another contact", { $0.contactID = 4 }), ("no contact", { $0.contactID = nil }), ("a host", { $0.category = .host }),
            ("announced", { $0.category = .post }), ("there before", { $0.category = .pre }), ("invited by another", { $0.invitedBy = .unknown }),
            ("by the link of the group", { $0.activeConnection?.viaUserContactLink = 5 }), ("introduced", { $0.activeConnection?.level = 1 }),
            ("not connected", { $0.activeConnection = nil }),
        ]
        for (name, change) in changes {
            var other = member
            change(&other)
            other.profile.localAlias = "ann"
            #expect(people.name(of: other) == nil, "\(name)")
        }
    }
}
