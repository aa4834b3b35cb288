package import ChatAPI

/// The trusted contacts of a bot, by the connections that prove who they are.
///
/// The connection that was made by a contact's one-time link is the only proof. Names, aliases, profiles and the contact that a member is said to be
/// prove nothing: what others send can change them.
package struct TrustedPeople: Sendable {
    private struct Person: Sendable {
        let name: String
        /// The contact that has used the link; nil until then.
        var contact: ContactID?
    }

    /// The names in ``Bot/trustedContacts``, also of those who have not connected.
    package let names: Set<String>
    /// The people by the agent's ids of their connections.
    private var people: [String: Person] = [:]
    private var namesByContact: [ContactID: String] = [:]

    package init(names: some Sequence<String>) { self.names = Set(names) }

    /// People as a folder shows them that is only read: by the names that the links of its contacts have.
    package init(names: some Sequence<String>, contacts: [Contact]) {
        self.init(names: names)
        for contact in contacts {
            guard let connection = contact.activeConnection, self.names.contains(connection.localAlias), !namesByContact.values.contains(connection.localAlias)
            else { continue }
            add(connection.localAlias, connection: connection.agentConnectionID, contact: contact.contactID)
        }
    }

    mutating func add(_ name: String, connection: String, contact: ContactID?) {
        people[connection] = Person(name: name, contact: contact)
        if let contact { namesByContact[contact] = name }
    }

    /// Binds a name to the contact who has used its link.
    ///
    /// - Returns: The name; nil for others, and for a contact that is bound already.
    mutating func bind(_ contact: Contact) -> String? {
        guard let name = name(of: contact), let connection = contact.activeConnection?.agentConnectionID, people[connection]?.contact == nil else { return nil }
        add(name, connection: connection, contact: contact.contactID)
        return name
    }

    /// The name of a contact; nil for strangers.
    package func name(of contact: Contact) -> String? {
        guard let connection = contact.activeConnection, let person = people[connection.agentConnectionID], names.contains(person.name),
            person.contact == nil || person.contact == contact.contactID
        else { return nil }
        return person.name
    }

    /// The name of a member whom this profile has invited, as the contact; nil for strangers and for those who came by another way.
    ///
    /// The invitation goes over the contact's connection, and the member's connection is the one that it offers.
    package func name(of member: GroupMember) -> String? {
        guard member.category == .invitee, member.invitedBy == .user, let contact = member.contactID, let name = namesByContact[contact],
            let connection = member.activeConnection, connection.level == 0, connection.viaUserContactLink == nil
        else { return nil }
        return name
    }

    /// The name of the contact of an id; nil for strangers.
    func name(of contact: ContactID) -> String? { namesByContact[contact] }
}

extension TrustedPeople: ExpressibleByArrayLiteral {
    /// People of some names, none of whom has connected.
    package init(arrayLiteral names: String...) { self.init(names: names) }
}
