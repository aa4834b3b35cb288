public import ChatProtocol

/// What a core reports unasked. Each form is named as its `type` on the wire.
public indirect enum ChatEvent: JSONTagged, Hashable {
    /// Another profile is active.
    case activeUser(user: User)
    /// The core has stopped sending and receiving.
    case chatSuspended
    /// A connection moves to another address.
    case contactSwitch(user: User, contact: Contact, progress: SwitchProgress)
    /// A member's connection moves to another address.
    case groupMemberSwitch(user: User, groupInfo: GroupInfo, member: GroupMember, progress: SwitchProgress)
    /// Ratchets are synchronised.
    case contactRatchetSync(user: User, contact: Contact, progress: RatchetSyncProgress)
    /// Ratchets of a member are synchronised.
    case groupMemberRatchetSync(user: User, groupInfo: GroupInfo, member: GroupMember, progress: RatchetSyncProgress)
    /// Messages both ways are protected by post-quantum encryption from now on, or not any more.
    case contactPQEnabled(user: User, contact: Contact, pqEnabled: Bool)
    /// Something about a chat changed.
    case chatInfoUpdated(user: User, chatInfo: ChatInfo)
    /// Items came or were made; the list may be empty.
    case newChatItems(user: User, chatItems: [ItemInChat])
    /// Delivery of items went on.
    case chatItemsStatusesUpdated(user: User, chatItems: [ItemInChat])
    /// An item was changed.
    case chatItemUpdated(user: User, chatItem: ItemInChat)
    /// An item was changed to what it was.
    case chatItemNotChanged(user: User, chatItem: ItemInChat)
    /// A reaction was added or taken back.
    case chatItemReaction(user: User, added: Bool, reaction: ReactionInChat)
    /// Items of a group were deleted.
    case groupChatItemsDeleted(user: User, groupInfo: GroupInfo, chatItemIDs: [ChatItemID], byUser: Bool, member: GroupMember?)
    /// Items were deleted.
    case chatItemsDeleted(user: User, deletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    /// A contact deleted an item that is not known.
    case chatItemDeletedNotFound(user: User, contact: Contact, sharedMessageID: SharedMessageID)
    /// The other side has confirmed; connecting goes on.
    case contactConnecting(user: User, contact: Contact)
    /// A contact is connected.
    case contactConnected(user: User, contact: Contact, customUserProfile: Profile?)
    /// Messages can be sent to a contact.
    case contactSndReady(user: User, contact: Contact)
    /// Another client took over the queue of a contact.
    case contactAnotherClient(user: User, contact: Contact)
    /// A contact changed.
    case contactUpdated(user: User, fromContact: Contact, toContact: Contact)
    /// Two contacts turned out to be one person.
    case contactsMerged(user: User, intoContact: Contact, mergedContact: Contact, updatedContact: Contact)
    /// A contact deleted this profile.
    case contactDeletedByContact(user: User, contact: Contact)
    /// Somebody asks to be a contact.
    case receivedContactRequest(user: User, contactRequest: UserContactRequest, chat: Chat?)
    /// A request is accepted unasked.
    case acceptingContactRequest(user: User, contact: Contact)
    /// A request to a business address is accepted.
    case acceptingBusinessRequest(user: User, groupInfo: GroupInfo)
    /// A request came again after it was accepted.
    case contactRequestAlreadyAccepted(user: User, contact: Contact)
    /// A business request came again after it was accepted.
    case businessRequestAlreadyAccepted(user: User, groupInfo: GroupInfo)
    /// Outcome of subscribing contacts.
    case contactSubSummary(user: User, subscriptions: [JSONValue])
    /// Nothing is sent to a contact any more: its queue refuses messages.
    case contactDisabled(user: User, contact: Contact)
    /// The same for a connection that is no contact's.
    case connectionDisabled(connectionEntity: ConnectionEntity)
    /// The other side does not take its messages, or takes them again.
    case connectionInactive(connectionEntity: ConnectionEntity, inactive: Bool)
    /// Connections by a router can, or cannot, receive.
    case subscriptionStatus(server: String, status: SubscriptionStatus, connections: [String])
    /// A router is connected.
    case hostConnected(protocolName: String, transportHost: String)
    /// A router is not connected any more.
    case hostDisconnected(protocolName: String, transportHost: String)
    /// Profiles and connections that only one of the two databases has.
    case connectionsDiff(userIDs: DatabaseDifference, connectionIDs: DatabaseDifference)
    /// Connections were deleted in the agent.
    case agentConnectionsDeleted(agentConnectionIDs: [String])
    /// Queues were deleted at their routers.
    case agentReceiveQueuesDeleted(deletedQueues: [DeletedReceiveQueue])
    /// A profile was deleted in the agent.
    case agentUserDeleted(agentUserID: Int64)
    /// An invitation to a group was accepted.
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    /// Joining by a group link goes on.
    case groupLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    /// Joining a business chat goes on.
    case businessLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, fromContact: Contact)
    /// An invitation to a group was sent.
    case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
    /// An invitation to a group came.
    case receivedGroupInvitation(
        user: User, groupInfo: GroupInfo, contact: Contact, fromMemberRole: GroupMemberRole, memberRole: GroupMemberRole)
    /// This profile joined a group.
    case userJoinedGroup(user: User, groupInfo: GroupInfo, hostMember: GroupMember?)
    /// A member joined.
    case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member was introduced; connecting.
    case joinedGroupMemberConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, member: GroupMember)
    /// A member is connected.
    case connectedToGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember, contact: Contact?)
    /// A member was let in by somebody else.
    case memberAcceptedByOther(user: User, groupInfo: GroupInfo, acceptingMember: GroupMember, member: GroupMember)
    /// A member got another role.
    case memberRole(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, fromRole: GroupMemberRole,
        toRole: GroupMemberRole, signature: SignatureStatus?)
    /// A member was blocked for all, or unblocked.
    case memberBlockedForAll(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, blocked: Bool, signature: SignatureStatus?)
    /// A member was removed.
    case deletedMember(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, deletedMember: GroupMember, withMessages: Bool,
        signature: SignatureStatus?)
    /// This profile was removed.
    case deletedMemberUser(user: User, groupInfo: GroupInfo, member: GroupMember, withMessages: Bool, signature: SignatureStatus?)
    /// A member left.
    case leftMember(user: User, groupInfo: GroupInfo, member: GroupMember, signature: SignatureStatus?)
    /// A member is known from a forwarded message.
    case unknownMemberCreated(user: User, groupInfo: GroupInfo, forwardedByMember: GroupMember, member: GroupMember)
    /// A member who is not known was blocked.
    case unknownMemberBlocked(user: User, groupInfo: GroupInfo, blockedByMember: GroupMember, member: GroupMember)
    /// A member who was not known was introduced.
    case unknownMemberAnnounced(
        user: User, groupInfo: GroupInfo, announcingMember: GroupMember, unknownMember: GroupMember, announcedMember: GroupMember)
    /// A member changed.
    case groupMemberUpdated(user: User, groupInfo: GroupInfo, fromMember: GroupMember, toMember: GroupMember)
    /// A member turned out to be a contact.
    case contactAndMemberAssociated(
        user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember, updatedContact: Contact)
    /// A group was deleted by its owner.
    case groupDeleted(user: User, groupInfo: GroupInfo, member: GroupMember, signature: SignatureStatus?)
    /// The profile of a group changed.
    case groupUpdated(user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member: GroupMember?, signature: SignatureStatus?)
    /// Somebody joins by the group link.
    case acceptingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// An invitation of a member came, with no contact.
    case noMemberContactCreating(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member invites to talk directly.
    case newMemberContactReceivedInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// What the link of a channel carries changed.
    case groupLinkDataUpdated(
        user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay], relaysChanged: Bool?)
    /// A relay changed.
    case groupRelayUpdated(user: User, groupInfo: GroupInfo, member: GroupMember, groupRelay: GroupRelay)
    /// A file can be downloaded.
    case rcvFileDescrReady(user: User, chatItem: ItemInChat, transfer: JSONValue, description: JSONValue)
    /// Downloading has begun.
    case rcvFileStart(user: User, chatItem: ItemInChat)
    /// Downloading goes on; bytes.
    case rcvFileProgressXFTP(user: User, chatItem: ItemInChat?, receivedSize: Int64, totalSize: Int64, transfer: JSONValue)
    /// A file is there.
    case rcvFileComplete(user: User, chatItem: ItemInChat)
    /// The sender cancelled a file.
    case rcvFileSndCancelled(user: User, chatItem: ItemInChat, transfer: JSONValue)
    /// Downloading failed.
    case rcvFileError(user: User, chatItem: ItemInChat?, error: AgentError, transfer: JSONValue)
    /// Downloading is failing; attempts go on.
    case rcvFileWarning(user: User, chatItem: ItemInChat?, error: AgentError, transfer: JSONValue)
    /// A file downloaded by its link is there.
    case rcvStandaloneFileComplete(user: User, targetPath: String, transfer: JSONValue)
    /// Uploading goes on; bytes.
    case sndFileProgressXFTP(user: User, chatItem: ItemInChat?, meta: JSONValue, sentSize: Int64, totalSize: Int64)
    /// The description of a file is being uploaded.
    case sndFileRedirectStartXFTP(user: User, meta: JSONValue, redirectMeta: JSONValue)
    /// A file is uploaded.
    case sndFileCompleteXFTP(user: User, chatItem: ItemInChat, meta: JSONValue)
    /// A file is uploaded and has links.
    case sndStandaloneFileComplete(user: User, meta: JSONValue, links: [String])
    /// Uploading failed.
    case sndFileError(user: User, chatItem: ItemInChat?, meta: JSONValue, message: String)
    /// Uploading is failing; attempts go on.
    case sndFileWarning(user: User, chatItem: ItemInChat?, meta: JSONValue, message: String)
    /// A contact calls.
    case callInvitation(invitation: JSONValue)
    /// A call is over.
    case callEnded(user: User, contact: Contact)
    /// A message could not be processed.
    case messageError(user: User, severity: String, message: String)
    /// Something went wrong.
    case chatError(error: ChatError)
    /// A frame that was no command.
    case commandError(error: ChatError)
    /// Several things went wrong.
    case chatErrors(errors: [ChatError])
    /// Event of an extension of the core.
    case customChatEvent(user: User?, response: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A queue that was deleted at its router.
public struct DeletedReceiveQueue: JSONObjectConvertible, Hashable {
    /// Connection it belonged to.
    public var agentConnectionID: String
    /// The router.
    public var server: String
    /// Id of the queue.
    public var agentQueueID: String
    /// Why the router could not be asked.
    public var error: AgentError?

    /// Makes the value from its parts.
    public init(agentConnectionID: String, server: String, agentQueueID: String, error: AgentError? = nil) {
        self.agentConnectionID = agentConnectionID
        self.server = server
        self.agentQueueID = agentQueueID
        self.error = error
    }
}

extension DeletedReceiveQueue {
    public init(object: JSONObject) throws(JSONError) {
        agentConnectionID = try object.required("agentConnId")
        server = try object.required("server")
        agentQueueID = try object.required("agentQueueId")
        error = try object.optional("agentError_")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["agentConnId"] = agentConnectionID
        object["server"] = server
        object["agentQueueId"] = agentQueueID
        object["agentError_"] = error
    }
}
