internal import ChatAPI
internal import Synchronization

/// The trusted contacts of a running bot. A contact is stored under the name of the link that it has used.
final class TrustRegistry: Sendable {
    private let people: Mutex<TrustedPeople>
    private let store: BotStateStore
    private let userID: UserID

    init(_ people: TrustedPeople, store: BotStateStore, userID: UserID) {
        self.people = Mutex(people)
        self.store = store
        self.userID = userID
    }

    /// The people as they are known now.
    var current: TrustedPeople { people.withLock(\.self) }

    /// Notes a contact that connects.
    func note(_ contact: Contact) {
        guard let name = people.withLock({ $0.bind(contact) }) else { return }
        store.noteTrusted(name, contact: contact.contactID, of: userID)
    }

    /// The name of a contact; nil for strangers.
    func name(of contact: Contact) -> String? { people.withLock { $0.name(of: contact) } }
}
