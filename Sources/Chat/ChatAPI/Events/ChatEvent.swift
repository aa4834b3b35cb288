public import ChatProtocol

/// An event that a core reports. Each form is named as its `type` on the wire.
@JSONForms
public indirect enum ChatEvent: JSONTagged, Hashable {
    /// Another profile is active.
    case activeUser(user: User)
    /// The core has stopped sending and receiving.
    case chatSuspended
    /// A connection moves to another address.
    @JSONName(["progress": "switchProgress"])
    case contactSwitch(user: User, contact: Contact, progress: SwitchProgress)
    /// A member's connection moves to another address.
    @JSONName(["progress": "switchProgress"])
    case groupMemberSwitch(user: User, groupInfo: GroupInfo, member: GroupMember, progress: SwitchProgress)
    /// Ratchets are synchronised.
    @JSONName(["progress": "ratchetSyncProgress"])
    case contactRatchetSync(user: User, contact: Contact, progress: RatchetSyncProgress)
    /// Ratchets of a member are synchronised.
    @JSONName(["progress": "ratchetSyncProgress"])
    case groupMemberRatchetSync(user: User, groupInfo: GroupInfo, member: GroupMember, progress: RatchetSyncProgress)
    /// Post-quantum encryption of messages in both directions is on or off from now on.
    case contactPQEnabled(user: User, contact: Contact, pqEnabled: Bool)
    /// Something about a chat changed.
    case chatInfoUpdated(user: User, chatInfo: ChatInfo)
    /// Items came or were made; the list may be empty.
    @JSONRepeated("user")
    case newChatItems(user: User, chatItems: [ItemInChat])
    /// Delivery of items went on.
    @JSONRepeated("user")
    case chatItemsStatusesUpdated(user: User, chatItems: [ItemInChat])
    /// An item was changed.
    case chatItemUpdated(user: User, chatItem: ItemInChat)
    /// An edit left an item unchanged.
    case chatItemNotChanged(user: User, chatItem: ItemInChat)
    /// A reaction was added or removed.
    case chatItemReaction(user: User, added: Bool, reaction: ReactionInChat)
    /// Items of a group were deleted.
    @JSONName(["chatItemIDs": "chatItemIDs", "member": "member_"])
    case groupChatItemsDeleted(user: User, groupInfo: GroupInfo, chatItemIDs: [ChatItemID], byUser: Bool, member: GroupMember?)
    /// Items were deleted.
    @JSONName(["deletions": "chatItemDeletions"])
    case chatItemsDeleted(user: User, deletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    /// A contact deleted an item that is not known.
    @JSONName(["sharedMessageID": "sharedMsgId"])
    case chatItemDeletedNotFound(user: User, contact: Contact, sharedMessageID: SharedMessageID)
    /// The other side has confirmed; connecting continues.
    case contactConnecting(user: User, contact: Contact)
    /// A contact is connected.
    @JSONName(["customUserProfile": "userCustomProfile"])
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
    @JSONName(["chat": "chat_"])
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
    @JSONName(["subscriptions": "contactSubscriptions"])
    case contactSubSummary(user: User, subscriptions: [JSONValue])
    /// Nothing is sent to a contact any more: its queue refuses messages.
    case contactDisabled(user: User, contact: Contact)
    /// The same for a connection that is no contact's.
    case connectionDisabled(connectionEntity: ConnectionEntity)
    /// Another client has subscribed to a connection that is no contact's: this one gets nothing more over it.
    case subscriptionEnd(user: User, connectionEntity: ConnectionEntity)
    /// The other side does not take its messages, or takes them again.
    case connectionInactive(connectionEntity: ConnectionEntity, inactive: Bool)
    /// Connections by a router can, or cannot, receive.
    @JSONName(["status": "subscriptionStatus"])
    case subscriptionStatus(server: String, status: SubscriptionStatus, connections: [String])
    /// All queues of a profile at a router were, or were not, taken up at once, where that is enabled.
    case serviceSubStatus(server: String, serviceSubEvent: ServiceSubEvent)
    /// A router is connected.
    @JSONName(["protocolName": "protocol"])
    case hostConnected(protocolName: String, transportHost: String)
    /// A router is disconnected.
    @JSONName(["protocolName": "protocol"])
    case hostDisconnected(protocolName: String, transportHost: String)
    /// Profiles and connections that only one of the two databases has.
    @JSONName(["connectionIDs": "connIds"])
    case connectionsDiff(userIDs: DatabaseDifference, connectionIDs: DatabaseDifference)
    /// Connections were deleted in the agent.
    @JSONName("agentConnsDeleted", ["agentConnectionIDs": "agentConnIds"])
    case agentConnectionsDeleted(agentConnectionIDs: [String])
    /// Queues were deleted at their routers.
    @JSONName("agentRcvQueuesDeleted", ["deletedQueues": "deletedRcvQueues"])
    case agentReceiveQueuesDeleted(deletedQueues: [DeletedReceiveQueue])
    /// A profile was deleted in the agent.
    case agentUserDeleted(agentUserID: Int64)
    /// An invitation to a group was accepted.
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    /// Joining by a group link continues.
    case groupLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    /// Joining a business chat continues.
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
    @JSONName(["contact": "memberContact"])
    case connectedToGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember, contact: Contact?)
    /// A member was let in by somebody else.
    case memberAcceptedByOther(user: User, groupInfo: GroupInfo, acceptingMember: GroupMember, member: GroupMember)
    /// A member got another role.
    @JSONName(["signature": "msgSigned"])
    case memberRole(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, fromRole: GroupMemberRole,
        toRole: GroupMemberRole, signature: SignatureStatus?)
    /// A member was blocked for all, or unblocked.
    @JSONName(["signature": "msgSigned"])
    case memberBlockedForAll(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, blocked: Bool, signature: SignatureStatus?)
    /// A member was removed.
    @JSONName(["signature": "msgSigned"])
    case deletedMember(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, deletedMember: GroupMember, withMessages: Bool,
        signature: SignatureStatus?)
    /// This profile was removed.
    @JSONName(["signature": "msgSigned"])
    case deletedMemberUser(user: User, groupInfo: GroupInfo, member: GroupMember, withMessages: Bool, signature: SignatureStatus?)
    /// A member left.
    @JSONName(["signature": "msgSigned"])
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
    @JSONName(["signature": "msgSigned"])
    case groupDeleted(user: User, groupInfo: GroupInfo, member: GroupMember, signature: SignatureStatus?)
    /// The profile of a group changed.
    @JSONName(["member": "member_", "signature": "msgSigned"])
    case groupUpdated(user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member: GroupMember?, signature: SignatureStatus?)
    /// Somebody joins by the group link.
    case acceptingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// An invitation of a member came, with no contact.
    case noMemberContactCreating(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member invites to talk directly.
    case newMemberContactReceivedInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// The data that the link of a channel carries changed.
    case groupLinkDataUpdated(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay] = [], relaysChanged: Bool?)
    /// A relay changed.
    case groupRelayUpdated(user: User, groupInfo: GroupInfo, member: GroupMember, groupRelay: GroupRelay)
    /// A file can be downloaded.
    @JSONName(["transfer": "rcvFileTransfer", "description": "rcvFileDescr"])
    case rcvFileDescrReady(user: User, chatItem: ItemInChat, transfer: ReceivedFileTransfer, description: JSONValue)
    /// Downloading has begun.
    case rcvFileStart(user: User, chatItem: ItemInChat)
    /// A file that was marked to be received is accepted.
    case rcvFileAccepted(user: User, chatItem: ItemInChat)
    /// Downloading continues; bytes.
    @JSONName(["chatItem": "chatItem_", "transfer": "rcvFileTransfer"])
    case rcvFileProgressXFTP(user: User, chatItem: ItemInChat?, receivedSize: Int64, totalSize: Int64, transfer: ReceivedFileTransfer)
    /// A file is there.
    case rcvFileComplete(user: User, chatItem: ItemInChat)
    /// The sender cancelled a file.
    @JSONName(["transfer": "rcvFileTransfer"])
    case rcvFileSndCancelled(user: User, chatItem: ItemInChat, transfer: ReceivedFileTransfer)
    /// Downloading failed.
    @JSONName(["chatItem": "chatItem_", "error": "agentError", "transfer": "rcvFileTransfer"])
    case rcvFileError(user: User, chatItem: ItemInChat?, error: MessagingError, transfer: ReceivedFileTransfer)
    /// Downloading is failing; attempts continue.
    @JSONName(["chatItem": "chatItem_", "error": "agentError", "transfer": "rcvFileTransfer"])
    case rcvFileWarning(user: User, chatItem: ItemInChat?, error: MessagingError, transfer: ReceivedFileTransfer)
    /// A file downloaded by its link is there.
    @JSONName(["transfer": "rcvFileTransfer"])
    case rcvStandaloneFileComplete(user: User, targetPath: String, transfer: ReceivedFileTransfer)
    /// Uploading continues; bytes.
    @JSONName(["chatItem": "chatItem_", "meta": "fileTransferMeta"])
    case sndFileProgressXFTP(user: User, chatItem: ItemInChat?, meta: JSONValue, sentSize: Int64, totalSize: Int64)
    /// The description of a file is being uploaded.
    @JSONName(["meta": "fileTransferMeta"])
    case sndFileRedirectStartXFTP(user: User, meta: JSONValue, redirectMeta: JSONValue)
    /// A file is uploaded.
    @JSONName(["meta": "fileTransferMeta"])
    case sndFileCompleteXFTP(user: User, chatItem: ItemInChat, meta: JSONValue)
    /// A file is uploaded and has links.
    @JSONName(["meta": "fileTransferMeta", "links": "rcvURIs"])
    case sndStandaloneFileComplete(user: User, meta: JSONValue, links: [String])
    /// Uploading failed.
    @JSONName(["chatItem": "chatItem_", "meta": "fileTransferMeta", "message": "errorMessage"])
    case sndFileError(user: User, chatItem: ItemInChat?, meta: JSONValue, message: String)
    /// Uploading is failing; attempts continue.
    @JSONName(["chatItem": "chatItem_", "meta": "fileTransferMeta", "message": "errorMessage"])
    case sndFileWarning(user: User, chatItem: ItemInChat?, meta: JSONValue, message: String)
    /// A contact calls.
    @JSONName(["invitation": "callInvitation"])
    case callInvitation(invitation: JSONValue)
    /// A call is over.
    case callEnded(user: User, contact: Contact)
    /// A message could not be processed.
    @JSONName(["message": "errorMessage"])
    case messageError(user: User, severity: String, message: String)
    /// Something went wrong.
    @JSONName(["error": "chatError"])
    case chatError(error: ChatError)
    /// A frame that was no command.
    @JSONName("chatCmdError", ["error": "chatError"])
    case commandError(error: ChatError)
    /// Several things went wrong.
    @JSONName(["errors": "chatErrors"])
    case chatErrors(errors: [ChatError])
    /// Something that official cores tell terminals.
    @JSONName(["event": "data"])
    case terminalEvent(event: TerminalEvent)
    /// Event of an extension of the core.
    @JSONName(["user": "user_"])
    case customChatEvent(user: User?, response: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A queue that was deleted at its router.
@JSONMembers
public struct DeletedReceiveQueue: JSONObjectConvertible, Hashable {
    /// Connection it belonged to.
    @JSONName("agentConnId") public var agentConnectionID: String
    /// The router.
    public var server: String
    /// Id of the queue.
    public var agentQueueID: String
    /// Why the router could not be asked.
    @JSONName("agentError_") public var error: MessagingError?
}
