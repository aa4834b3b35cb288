import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPCrypto
import SMPWire

// What commands do with profiles.

/// Makes, changes and deletes profiles of this program.
struct Users: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Profiles of this program.
    var users: Users { Users(transaction: self) }
}

extension Users {
    func known(_ id: UserID) throws -> User { try transaction.anyUser(id) }

    func known(named name: String) throws -> User {
        guard let user = try db.users.find(named: name) else { throw Refusal.chat(.userUnknown) }
        return user
    }

    /// All profiles: apps leave out those that are hidden.
    func infos() throws -> [UserInfo] {
        return try db.users.users().map {
            UserInfo(user: $0, unreadCount: try db.users.unreadCount(ofUser: $0.userID))
        }
    }

    // MARK: Making and deleting

    /// Refuses names that are not proper or taken.
    func checkNew(_ new: NewUser, name: String) throws {
        if new.profile != nil { try checkName(name) }
        for user in try db.users.users() {
            if user.localDisplayName == name {
                // That there is a hidden profile of this name must not show.
                let isKnown = user.isActive || user.viewPasswordHash == nil
                throw Refusal.chat(isKnown ? .userExists(contactName: name) : .invalidDisplayName(displayName: name, validName: ""))
            }
            if new.isChatRelay, user.isChatRelay { throw Refusal.chat(.chatRelayExists) }
        }
    }

    func checkName(_ name: String) throws {
        guard !name.isEmpty else { throw Refusal.chat(.invalidDisplayName(displayName: name, validName: "")) }
        guard DisplayName.isValid(name) else {
            throw Refusal.chat(.invalidDisplayName(displayName: name, validName: DisplayName.valid(name)))
        }
    }

    func add(_ new: NewUser, profile: Profile, agentID: Int64, presets: [Profile]) throws -> User {
        // A past time hides when the profile was made: two to three days ago.
        let random = random.bytes(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let time = new.pastTimestamp ? now.adding(seconds: -(2 * 86_400 + random % 86_400)) : now
        let id = try db.users.insert(
            NewUserRecord(agentUserID: agentID, profile: profile, isChatRelay: new.isChatRelay, isClientService: new.isClientService ?? false, createdAt: time))
        for preset in presets { _ = try db.contacts.insert(NewContactRecord(profile: preset), user: id, at: time) }
        return try transaction.anyUser(id)
    }

    func delete(_ target: User, deleteQueues: Bool, password: String?) throws -> ChatResponse {
        try check(password, of: target, asked: try transaction.user())
        let others = try db.users.users().filter { $0.userID != target.userID && $0.viewPasswordHash == nil }
        if target.isActive, !others.isEmpty { throw Refusal.chat(.cantDeleteActiveUser(userID: target.userID)) }
        try enqueue(.profile(.deleteUser(deleteQueues: deleteQueues)), user: target)
        try db.users.delete(target.userID)
        transaction.effects.removesFiles = true
        return .cmdOk(user: nil)
    }

    // MARK: Hiding

    /// Refuses what needs the password of a hidden profile: wrong, or missing while another profile is the active one.
    func check(_ password: String?, of user: User, asked: User?) throws {
        guard let stored = user.viewPasswordHash else { return }
        let isRight =
            if let password { stored == Self.hash(password, salt: Base64URL.decode(stored.salt) ?? []) } else {
                asked?.userID == user.userID
            }
        guard isRight else { throw Refusal.chat(.userUnknown) }
    }

    private static func hash(_ password: String, salt: Bytes) -> PasswordHash {
        PasswordHash(hash: Base64URL.encode(Hash.sha512(Bytes(password.utf8) + salt)), salt: Base64URL.encode(salt))
    }

    func hide(_ id: UserID?, password: String) throws -> ChatResponse {
        let user = try transaction.user()
        let target = try id.map(known) ?? user
        guard target.viewPasswordHash == nil else { throw Refusal.chat(.userAlreadyHidden(userID: target.userID)) }
        guard !password.isEmpty else { throw Refusal.chat(.emptyUserPassword(userID: target.userID)) }
        guard try db.users.users().filter({ $0.viewPasswordHash == nil }).count > 1 else {
            throw Refusal.chat(.cantHideLastUser(userID: target.userID))
        }
        let salt = random.bytes(16)
        let hash = Hash.sha512(Bytes(password.utf8) + salt)
        try db.users.updateUserPrivacy(target.userID, hash: hash, salt: salt, showsNotifications: false)
        return try privacy(of: target, asked: user)
    }

    func unhide(_ id: UserID?, password: String) throws -> ChatResponse {
        let user = try transaction.user()
        let target = try id.map(known) ?? user
        guard target.viewPasswordHash != nil else { throw Refusal.chat(.userNotHidden(userID: target.userID)) }
        guard !password.isEmpty else { throw Refusal.chat(.emptyUserPassword(userID: target.userID)) }
        try check(password, of: target, asked: user)
        try db.users.updateUserPrivacy(target.userID, hash: nil, salt: nil, showsNotifications: true)
        return try privacy(of: target, asked: user)
    }

    func setNotifications(ofUser id: UserID?, to shows: Bool) throws -> ChatResponse {
        let user = try transaction.user()
        let target = try id.map(known) ?? user
        guard target.viewPasswordHash == nil else { throw Refusal.chat(.hiddenUserAlwaysMuted(userID: target.userID)) }
        try db.users.updateUserPrivacy(target.userID, hash: nil, salt: nil, showsNotifications: shows)
        return try privacy(of: target, asked: user)
    }

    private func privacy(of target: User, asked: User) throws -> ChatResponse {
        let updated = try transaction.anyUser(target.userID)
        return .userPrivacy(user: asked.userID == updated.userID ? updated : asked, updatedUser: updated)
    }

    // MARK: Public profile

    /// Stores the published profile, and sends it to the contacts who know it.
    ///
    /// - Parameter publishesAddress: Whether the data behind the profile's address follows.
    func updateProfile(of user: User, to profile: Profile, publishesAddress: Bool = true) throws -> ChatResponse {
        let old = user.profile.published
        guard profile != old else { return .userProfileNoChange(user: user) }
        if profile.displayName != old.displayName { try checkName(profile.displayName) }
        // Contacts are read before the change, to find its effect on each.
        let contacts = try db.contacts.contacts(of: user).filter { $0.activeConnection != nil && $0.status == .active }
        var memberProfileChanged = false
        if profile.displayName != old.displayName || profile.fullName != old.fullName || profile.image != old.image {
            memberProfileChanged = true
        }
        try db.users.updateUserProfile(user, to: profile, memberProfileChanged: memberProfileChanged, at: now)
        let updated = try transaction.anyUser(user.userID)
        if publishesAddress, try db.addresses.find(ofUser: user.userID)?.shortLinkDataSet == true {
            try enqueue(.contact(.publishAddress), user: user)
        }
        let summary = try tellContacts(contacts, of: user, now: updated)
        return .userProfileUpdated(user: updated, fromProfile: old, toProfile: profile, summary: summary)
    }

    private func tellContacts(_ contacts: [Contact], of user: User, now updated: User) throws -> UserProfileUpdateSummary {
        var summary = UserProfileUpdateSummary(updateSuccesses: 0, updateFailures: 0, changedContacts: [])
        var errors: [ChatError] = []
        var items: [ItemInChat] = []
        for contact in contacts {
            guard let connection = contact.activeConnection, connection.customUserProfileID == nil,
                (try? transaction.outbox.sendingConnection(contact)) != nil
            else { continue }
            let before = sharedProfile(of: user, with: contact, incognito: nil, usesProfileTTL: false)
            let after = sharedProfile(of: updated, with: contact, incognito: nil, usesProfileTTL: false)
            guard before != after else { continue }
            do {
                try transaction.outbox.send(.info(after), to: contact)
            } catch let refusal as Refusal {
                errors.append(refusal.error)
                summary.updateFailures += 1
                continue
            }
            summary.updateSuccesses += 1
            var current = try transaction.conversations.contact(contact.contactID, of: updated)
            guard current.contactUsed, current.mergedPreferences != contact.mergedPreferences else { continue }
            for content in FeatureItems.changedByUser(from: contact.mergedPreferences, to: current.mergedPreferences) {
                let item = try transaction.items.add(ItemDraft(content, isSent: true), to: &current, of: updated)
                items.append(ItemInChat(chatInfo: .direct(contact: current), chatItem: item))
            }
            summary.changedContacts.append(current)
        }
        if !errors.isEmpty { emit(.chatErrors(errors: errors)) }
        if summary.updateSuccesses + summary.updateFailures > 0 { emit(.newChatItems(user: updated, chatItems: items)) }
        return summary
    }
}

extension Users {
    /// The incognito profile that a contact knows the user by, if it is one.
    func incognitoProfile(_ connection: Connection?) throws -> Profile? {
        try connection?.customUserProfileID.flatMap { try db.profiles.find($0) }
    }

    /// The profile that a contact is shown.
    func sharedProfile(of user: User, with contact: Contact?, incognito: Profile?, usesProfileTTL: Bool) -> Profile {
        user.sharedProfile(
            incognito: incognito, contactPreferences: contact?.userPreferences, usesProfileTTL: usesProfileTTL)
    }
}
