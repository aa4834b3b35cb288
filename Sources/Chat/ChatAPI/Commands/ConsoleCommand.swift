public import ChatProtocol

/// Commands as people type them at a console: for the active profile, chats by name, messages by the beginning of their text.
public enum ConsoleCommand: Sendable, Hashable {
    /// Help, about a section.
    case help(String)
    /// A welcome.
    case welcome
    /// Sends a message.
    case send(to: ConsoleTarget, String)
    /// Sends a live message, which is edited while it is typed.
    case sendLive(to: ChatName, String)
    /// Answers a message of the contact, or one's own.
    case quote(contact: String, MessageDirection, quoted: String, String)
    /// Answers a message in a group: of a member, or one's own.
    case quoteInGroup(group: String, member: String?, quoted: String, String)
    /// Edits the last message with that text; with an empty text the last one.
    case edit(ChatName, text: String, String)
    /// Deletes the last message with that text for everybody.
    case delete(ChatName, text: String)
    /// Deletes a message of a member.
    case moderate(group: String, member: String, text: String)
    /// Reacts to the last message with that text.
    case react(ChatName, add: Bool, MessageReaction, text: String)
    /// Forwards a message of a contact.
    case forward(to: ChatName, from: ChatName, member: String? = nil, text: String)
    /// Sends a message to all contacts.
    case broadcast(String)
    /// Last active chats; nil for all.
    case lastChats(Int?)
    /// Last messages, of one chat if given, with a text if given.
    case lastMessages(ChatName?, count: Int, search: String?)
    /// Id of a message counted from the last, which is 0.
    case lastItemID(ChatName?, Int)
    /// Shows a message; nil for the last.
    case showItem(ChatItemID?)
    /// Shows or hides messages that are being typed.
    case showLiveItems(Bool)
    /// History and delivery of the last message with that text.
    case itemInfo(ChatName, text: String)
    /// A command about the contact of that name.
    case contact(String, NamedContactCommand)
    /// A command about the group of that name.
    case group(String, NamedGroupCommand)
    /// A command about a member.
    case member(group: String, member: String, NamedMemberCommand)
    /// Sets which messages of a chat notify.
    case setNotifications(ChatName, NotificationFilter)
    /// Sets whether receipts are sent in a chat; nil as the profile is set.
    case setReceipts(ChatName, Bool?)
    /// Sets after how many seconds messages of a chat are deleted; nil as the profile is set.
    case setMessageTTL(ChatName, seconds: Int64?)
    /// Tells after how many seconds messages of a chat are deleted.
    case messageTTL(ChatName)
    /// Deletes all notes to oneself.
    case clearNotes
    /// Makes a group.
    case newGroup(incognito: Bool = false, name: String, description: String?)
    /// Lists groups: with a contact in them, with a text in the name.
    case groups(contact: String?, search: String?)
    /// Sends a file.
    case sendFile(to: ChatName, CryptoFile)
    /// Sends a picture.
    case sendImage(to: ChatName, CryptoFile)
    /// Sends a file on.
    case forwardFile(to: ChatName, FileID)
    /// Sends a picture on.
    case forwardImage(to: ChatName, FileID)
}

/// Where a person sends a message.
public enum ConsoleTarget: Sendable, Hashable {
    /// To the contact of that name.
    case contact(String)
    /// To the group of that name.
    case group(String)
    /// To the support chat of a member of the group; nil for one's own.
    case support(group: String, member: String?)
    /// To a member directly.
    case member(group: String, member: String)
    /// To oneself.
    case notes
}

/// A command about a contact that is named.
public enum NamedContactCommand: Sendable, Hashable {
    /// Tells the contact and the state of its connection.
    case info
    /// Asks the router about the queue.
    case queueInfo
    /// Moves the connection to another address.
    case switchQueue
    /// Gives up the move.
    case abortSwitch
    /// Synchronises the ratchets.
    case syncRatchet(force: Bool = false)
    /// Tells the security code.
    case securityCode
    /// Compares the security code; nil takes the confirmation back.
    case verify(code: String?)
    /// Takes up a connection that was disabled.
    case enable
    /// Deletes the contact.
    case delete(ChatDeleteMode)
    /// Deletes all messages.
    case clear
    /// Accepts the request of that name.
    case accept(incognito: Bool = false)
    /// Refuses the request of that name.
    case reject
    /// Accepts the invitation of a group member of that name.
    case acceptMemberContact
    /// Sets the preferences for the contact; nil uses those of the profile.
    case setFeature(ChatFeature, FeatureAllowed?)
    /// Sets whether messages disappear; nil as the profile is set.
    case setTimedMessages(TimedMessagesSetting?)
    /// Calls.
    case call
}

/// A setting for messages that disappear.
public enum TimedMessagesSetting: Sendable, Hashable {
    /// They do, after so many seconds.
    case enable(seconds: Int)
    /// They do, after the time that was set.
    case enableKeepingTTL
    /// They do not.
    case disable
}

/// A command about a group that is named.
public enum NamedGroupCommand: Sendable, Hashable {
    /// Tells the group.
    case info
    /// Tells the members.
    case members
    /// Tells the members with a support chat.
    case supportChats
    /// Accepts an invitation; `mute` without notifications.
    case join(mute: Bool = false)
    /// Leaves.
    case leave
    /// Accepts invitations to relay the channel again.
    case allowRelay
    /// Changes how the channel is found besides its link.
    case setPublicAccess(PublicGroupAccess)
    /// Deletes.
    case delete
    /// Deletes all messages.
    case clear
    /// Tells the profile.
    case profile
    /// Changes name and description.
    case rename(name: String, description: String?)
    /// Changes the welcome message; nil to remove it.
    case setWelcome(String?)
    /// Tells the welcome message.
    case welcome
    /// Makes a link to join by.
    case createLink(GroupMemberRole)
    /// Sets the role of those who join by the link.
    case setLinkRole(GroupMemberRole)
    /// Deletes the link.
    case deleteLink
    /// Tells the link.
    case link
    /// Removes members.
    case remove([String], withMessages: Bool = false)
    /// Turns a feature on or off, for members from a role up if given.
    case setFeature(GroupFeature, GroupFeatureEnabled, role: GroupMemberRole? = nil)
    /// Sets after how many seconds messages disappear; nil never.
    case setTimedMessages(seconds: Int?)
    /// Sets whether new members are reviewed.
    case setAdmissionReview(MemberCriteria?)
    /// Reports a message to the moderators.
    case report(member: String?, reason: ReportReason, text: String)
    /// Shares the group in a chat.
    case share(to: ChatName)
}

/// A command about a member who is named.
public enum NamedMemberCommand: Sendable, Hashable {
    /// Invites the contact of that name.
    case add(GroupMemberRole)
    /// Admits a member who waits for it.
    case accept(GroupMemberRole)
    /// Changes the role.
    case setRole(GroupMemberRole)
    /// Blocks for all, or unblocks.
    case blockForAll(Bool)
    /// Shows or hides messages, here only.
    case showMessages(Bool)
    /// Tells the member and the state of the connection.
    case info
    /// Asks the router about the queue.
    case queueInfo
    /// Moves the connection to another address.
    case switchQueue
    /// Gives up the move.
    case abortSwitch
    /// Synchronises the ratchets.
    case syncRatchet(force: Bool = false)
    /// Tells the security code.
    case securityCode
    /// Compares the security code; nil takes the confirmation back.
    case verify(code: String?)
    /// Takes up a connection that was disabled.
    case enable
}
