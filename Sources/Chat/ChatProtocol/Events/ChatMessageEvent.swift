public import SMPCrypto
public import SMPWire

/// The content of a chat message (simplex-chat.md; chat versions 1 to 19). Events of newer clients are kept as they came.
public indirect enum ChatMessageEvent: Hashable, Sendable {
    // Messages
    /// `x.msg.new`: a new message.
    case newMessage(MessageContainer)
    /// `x.msg.file.descr`: a part of the description of a message's file.
    case fileDescription(messageID: SharedMessageID, FileDescription)
    /// `x.msg.update`: a message is edited, or typed further.
    case updateMessage(MessageUpdate)
    /// `x.msg.del`: a message is deleted.
    case deleteMessage(MessageDeletion)
    /// `x.msg.deleted`: stands for a deleted message in forwarded history.
    case messageDeleted
    /// `x.msg.react`: a reaction is added or removed.
    case react(MessageReactionChange)

    // Files
    /// `x.file`: a file without a message, of very old clients.
    case file(FileInvitation)
    /// `x.file.acpt`: such a file is accepted.
    case acceptFile(name: String)
    /// `x.file.acpt.inv`: the file of a message is accepted, sent inline or over the given connection.
    case acceptFileInvitation(messageID: SharedMessageID, connectionRequest: String?, name: String)
    /// `x.file.cancel`: the file of a message will not be sent.
    case cancelFile(messageID: SharedMessageID)

    // Contacts
    /// `x.info`: the sender's profile, in a connection that is being made or when it has changed.
    case info(Profile)
    /// `x.contact`: a contact request.
    case contact(ContactRequest)
    /// `x.member`: a request to join a channel over a relay. Signed, with the relay's identifier in it, it proves that the sender has the key.
    case member(profile: Profile, memberID: MemberID, key: Ed25519.PublicKey, relay: MemberID? = nil)
    /// `x.direct.del`: the sender has deleted the contact.
    case deleteContact

    // Groups
    /// `x.grp.inv`
    case groupInvitation(GroupInvitation)
    /// `x.grp.acpt`: an invitation is accepted.
    case acceptGroup(memberID: MemberID)
    /// `x.grp.link.inv`
    case groupLinkInvitation(GroupLinkInvitation)
    /// `x.grp.link.reject`
    case groupLinkRejection(GroupLinkRejection)
    /// `x.grp.link.mem`: the profile of a member who joins by a link.
    case groupLinkMember(Profile)
    /// `x.grp.link.acpt`: a member is accepted, or asked to wait.
    case groupLinkAcceptance(GroupAcceptance, role: GroupMemberRole, memberID: MemberID)
    /// `x.grp.relay.inv`
    case groupRelayInvitation(GroupRelayInvitation)
    /// `x.grp.relay.acpt`: a relay serves the channel at this short link.
    case acceptGroupRelay(link: String, capabilities: RelayCapabilities = RelayCapabilities())
    /// `x.grp.relay.test`: a challenge to a relay, and its answer with a signature.
    case testGroupRelay(challenge: Base64URLBytes, signature: Base64URLBytes?)
    /// `x.grp.relay.new`: an owner announces a relay that serves the channel at this short link.
    case newGroupRelay(link: String)
    /// `x.grp.relay.reject`: a relay does not serve the channel.
    case rejectGroupRelay(RelayRejectionReason)
    /// `x.grp.relay.cap`: a relay tells the owners what else it does for the channel.
    case groupRelayCapabilities(RelayCapabilities)
    /// `x.grp.roster`: an owner says which members, moderators and admins the channel has. Their list follows as a file in chunks.
    case groupRoster(GroupRoster)
    /// `x.grp.roster.ack`: a relay has stored the roster, or says why it has not.
    case acknowledgeRoster(RosterVersion, error: String?)
    /// `x.grp.roster.request`: a subscriber asks a relay for the roster.
    ///
    /// The version is the last one that the subscriber has complete.
    case requestRoster(RosterVersion?)
    /// `x.grp.mem.new`: a member has joined.
    case newMember(MemberInfo, scope: MessageScope?)
    /// `x.grp.mem.intro`: the host introduces a member to the one who joins.
    case introduceMember(MemberInfo, restrictions: MemberRestrictions?)
    /// `x.grp.mem.inv`: the one who joins invites an introduced member, by the host.
    case inviteMember(memberID: MemberID, IntroInvitation)
    /// `x.grp.mem.fwd`: the host forwards that invitation.
    case forwardMemberInvitation(MemberInfo, IntroInvitation)
    /// `x.grp.mem.info`: the profile of a member, in a connection to it.
    case memberInfo(memberID: MemberID, Profile)
    /// `x.grp.mem.role`: with the member's key, and the version of the roster that has the change, in channels.
    case memberRole(memberID: MemberID, GroupMemberRole, key: Ed25519.PublicKey? = nil, rosterVersion: RosterVersion? = nil)
    /// `x.grp.mem.restrict`: a member is blocked for all, or no longer.
    case restrictMember(memberID: MemberID, MemberRestrictions)
    /// `x.grp.mem.con`: the sender is connected to the member.
    case memberConnected(memberID: MemberID)
    /// `x.grp.mem.con.all`: the sender is connected to all members. Defined, and not used by anyone.
    case memberConnectedToAll(memberID: MemberID)
    /// `x.grp.mem.del`: a member is removed, with its messages if so said.
    case removeMember(memberID: MemberID, withMessages: Bool, rosterVersion: RosterVersion? = nil)
    /// `x.grp.leave`: the sender leaves.
    case leaveGroup
    /// `x.grp.del`: the group is deleted.
    case deleteGroup
    /// `x.grp.info`: the profile of the group has changed.
    case groupInfo(GroupProfile)
    /// `x.grp.prefs`: the preferences of a business chat have changed.
    case groupPreferences(GroupPreferences)
    /// `x.grp.direct.inv`: a member is invited to become a contact.
    case groupDirectInvitation(connectionRequest: String, content: MessageContent?, scope: MessageScope?)
    /// `x.grp.msg.forward`: a member's message that the host forwards.
    case forwardMessage(MessageForward, ChatMessage)

    // Probes
    /// `x.info.probe`
    case probe(Probe)
    /// `x.info.probe.check`
    case checkProbe(ProbeHash)
    /// `x.info.probe.ok`
    case confirmProbe(Probe)

    // Calls
    /// `x.call.inv`
    case callInvitation(CallID, CallInvitation)
    /// `x.call.offer`
    case callOffer(CallID, CallOffer)
    /// `x.call.answer`
    case callAnswer(CallID, WebRTCSession)
    /// `x.call.extra`: more ICE candidates.
    case callExtra(CallID, WebRTCExtraInfo)
    /// `x.call.end`
    case endCall(CallID)

    /// `x.ok`: nothing but that the connection works.
    case ok
    /// Any other event whose tag starts with `x.`.
    case unknown(ChatEventTag, parameters: JSONObject)
    /// `F`, the only binary event: a piece of a file that travels inline.
    case fileChunk(messageID: SharedMessageID, FileChunk)
}

/// The settings of a single message that an update carries.
@JSONMembers
public struct MessagePreferences: Hashable, ExtensibleObject {
    /// True if the post takes no comments any more.
    public var commentsDisabled: Bool
}

/// An edited message (`x.msg.update`).
@JSONMembers
public struct MessageUpdate: Hashable, ExtensibleObject {
    /// The message.
    @JSONName("msgId") public var messageID: SharedMessageID
    /// The new content of the message.
    public var content: MessageContent
    /// The members that the message mentions now.
    public var mentions: MessageMentions = [:]
    /// Seconds after which the message disappears.
    public var ttl: Int?
    /// True if the message is still being typed.
    public var live: Bool?
    /// For which members it is; it must be the scope of the message.
    public var scope: MessageScope?
    /// True if an owner has posted in the name of the channel.
    public var asGroup: Bool?
    /// The settings of the message, if they change.
    @JSONName("prefs") public var preferences: MessagePreferences?

    /// Reads the members of an object. The time to live is bounded.
    public init(object: JSONObject) throws(JSONError) {
        messageID = try object.required("msgId")
        content = try object.required("content")
        mentions = try object.optional("mentions") ?? [:]
        ttl = try object.optionalTimeToLive("ttl")
        live = try object.optional("live")
        scope = try object.optional("scope")
        asGroup = try object.optional("asGroup")
        preferences = try object.optional("prefs")
        unknownMembers = object.unknown(to: Self.memberNames)
    }

    /// Sets the members of an object; no mentions are left out.
    public func write(into object: inout JSONObjectWriter) {
        object.add("msgId", messageID)
        object.add("content", content)
        if !mentions.isEmpty { object.add("mentions", mentions) }
        object.add("ttl", ttl)
        object.add("live", live)
        object.add("scope", scope)
        object.add("asGroup", asGroup)
        object.add("prefs", preferences)
        object.add(unknown: unknownMembers, to: Self.memberNames)
    }
}

/// A deleted message (`x.msg.del`).
@JSONMembers
public struct MessageDeletion: Hashable, ExtensibleObject {
    /// The message.
    @JSONName("msgId") public var messageID: SharedMessageID
    /// The author of the message, if a moderator deletes it.
    public var memberID: MemberID?
    /// For which members it is; it must be the scope of the message.
    public var scope: MessageScope?
    /// True if relays take the message out of the history of the channel, and subscribers who have it keep it.
    public var onlyHistory: Bool?
}

/// A reaction that is added to a message or taken away (`x.msg.react`).
@JSONMembers
public struct MessageReactionChange: Hashable, ExtensibleObject {
    /// The message.
    @JSONName("msgId") public var messageID: SharedMessageID
    /// The author of the message, in groups.
    public var memberID: MemberID?
    /// For which members it is; it must be the scope of the message.
    public var scope: MessageScope?
    /// Which reaction.
    public var reaction: MessageReaction
    /// True if it is added, false if it is taken away.
    public var add: Bool
}

/// A request to become a contact (`x.contact`).
public struct ContactRequest: Hashable, Sendable {
    /// A message that is sent with the request.
    public struct Message: Hashable, Sendable {
        /// Which message it is about.
        public var messageID: SharedMessageID
        /// The new content of the message.
        public var content: MessageContent

        /// Creates the value from its parts.
        public init(messageID: SharedMessageID, content: MessageContent) {
            self.messageID = messageID
            self.content = content
        }
    }

    /// The profile of the requester.
    public var profile: Profile
    /// The same for repeated requests.
    public var requestID: ContactRequestID?
    /// The identifier that the requester gave the welcome message of the address.
    public var welcomeMessageID: SharedMessageID?
    /// The message of the requester.
    public var message: Message?

    /// Creates the value from its parts.
    public init(
        profile: Profile, requestID: ContactRequestID? = nil, welcomeMessageID: SharedMessageID? = nil,
        message: Message? = nil
    ) {
        self.profile = profile
        self.requestID = requestID
        self.welcomeMessageID = welcomeMessageID
        self.message = message
    }
}

/// A piece of a file that travels inside messages.
public enum FileChunk: Hashable, Sendable {
    /// Pieces are counted from 1; the number of a piece is sent modulo 256.
    case piece(number: UInt8, Bytes)
    case cancel
}
