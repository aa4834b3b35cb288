public import ChatProtocol

/// A core's response to a command that succeeded. Each form is named as its `type` on the wire.
@JSONForms
public indirect enum ChatResponse: JSONTagged, Hashable {
    /// The profile that is (now) active.
    case activeUser(user: User)
    /// The profiles that are not hidden.
    case usersList(users: [UserInfo])
    /// The core has started.
    case chatStarted
    /// The core was running already.
    case chatRunning
    /// The core has stopped.
    case chatStopped
    /// Profiles and connections that only one of the two databases has.
    @JSONName(["connectionIDs": "connIds"])
    case connectionsDiff(showIDs: Bool?, userIDs: DatabaseDifference, connectionIDs: DatabaseDifference)
    /// Chats with their previews.
    case apiChats(user: User, chats: [Chat])
    /// Chats with their previews, asked for at a console.
    case chats(chats: [Chat])
    /// A page of a chat.
    @JSONName(["navigation": "navInfo"])
    case apiChat(user: User, chat: Chat, navigation: NavigationInfo?)
    /// Kinds of content that a chat has.
    case chatContentTypes(contentTypes: [String])
    /// The tags of a profile.
    case chatTags(user: User, userTags: [ChatTag])
    /// Items, asked for at a console.
    @JSONName(["chatName": "chatName_"])
    case chatItems(user: User, chatName: ChatName?, chatItems: [ItemInChat])
    /// History and delivery of an item.
    @JSONName(["info": "chatItemInfo"])
    case chatItemInfo(user: User, chatItem: ItemInChat, info: ChatItemInfo)
    /// Id of an item, asked for at a console.
    @JSONPositional case chatItemID(user: User, chatItemID: ChatItemID?)
    /// Outcome of the test of a server.
    @JSONName(["failure": "testFailure"])
    case serverTestResult(user: User, testServer: String, failure: ServerTestFailure?)
    /// Outcome of the test of a chat relay.
    @JSONName(["failure": "relayTestFailure"])
    case chatRelayTestResult(user: User, relayProfile: RelayProfile?, failure: RelayTestFailure?)
    /// Operators and their conditions of use.
    case serverOperatorConditions(conditions: ServerOperatorConditions)
    /// Servers of a profile, by operator.
    case userServers(user: User, userServers: [UserOperatorServers])
    /// The errors and warnings about a list of servers.
    @JSONName(["errors": "serverErrors", "warnings": "serverWarnings"])
    case userServersValidation(user: User, errors: [UserServersError], warnings: UserServersWarnings = [])
    /// Conditions of use, current and accepted.
    case usageConditions(usageConditions: UsageConditions, conditionsText: String?, acceptedConditions: UsageConditions?)
    /// Seconds after which messages are deleted.
    @JSONName(["ttl": "chatItemTTL"])
    case chatItemTTL(user: User, ttl: Int64?)
    /// The settings for connections to servers.
    case networkConfig(networkConfig: NetworkConfig)
    /// A contact and the state of its connection.
    @JSONName(["connectionStats": "connectionStats_"])
    case contactInfo(user: User, contact: Contact, connectionStats: ConnectionStats?, customUserProfile: Profile?)
    /// A group.
    case groupInfo(user: User, groupInfo: GroupInfo)
    /// A member and the state of the connection.
    @JSONName(["connectionStats": "connectionStats_"])
    case groupMemberInfo(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats?)
    /// The state of a receiving queue at its router.
    @JSONName(["receivedMessage": "rcvMsgInfo"])
    case queueInfo(user: User, receivedMessage: JSONValue?, queueInfo: JSONValue)
    /// The move of a connection to another address has begun.
    case contactSwitchStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
    /// The move of a member's connection has begun.
    case groupMemberSwitchStarted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    /// The move of a connection was given up.
    case contactSwitchAborted(user: User, contact: Contact, connectionStats: ConnectionStats)
    /// The move of a member's connection was given up.
    case groupMemberSwitchAborted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    /// Synchronising ratchets has begun.
    case contactRatchetSyncStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
    /// Synchronising a member's ratchets has begun.
    case groupMemberRatchetSyncStarted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    /// Security code of a contact.
    case contactCode(user: User, contact: Contact, connectionCode: String)
    /// Security code of a member.
    case groupMemberCode(user: User, groupInfo: GroupInfo, member: GroupMember, connectionCode: String)
    /// Outcome of comparing security codes.
    case connectionVerified(user: User, verified: Bool, expectedCode: String)
    /// Tags of a profile and of the chat that was tagged.
    case tagsUpdated(user: User, userTags: [ChatTag], chatTags: [ChatTagID])
    /// Items that were sent or made.
    case newChatItems(user: User, chatItems: [ItemInChat])
    /// An item that was changed.
    case chatItemUpdated(user: User, chatItem: ItemInChat)
    /// An item that was as it should become.
    case chatItemNotChanged(user: User, chatItem: ItemInChat)
    /// A reaction was added or taken back.
    case chatItemReaction(user: User, added: Bool, reaction: ReactionInChat)
    /// Members who reacted.
    case reactionMembers(user: User, memberReactions: [MemberReaction])
    /// Items were deleted.
    @JSONName(["deletions": "chatItemDeletions"])
    case chatItemsDeleted(user: User, deletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    /// Items of a group were deleted.
    @JSONName(["chatItemIDs": "chatItemIDs", "member": "member_"])
    case groupChatItemsDeleted(user: User, groupInfo: GroupInfo, chatItemIDs: [ChatItemID], byUser: Bool, member: GroupMember?)
    /// A message was sent to all contacts.
    @JSONName(["content": "msgContent"])
    case broadcastSent(user: User, content: MessageContent, successes: Int, failures: Int, timestamp: UTCTimestamp)
    /// Done, with nothing to say.
    @JSONName(["user": "user_"])
    case cmdOk(user: User?)
    /// Help for people at a console.
    @JSONName(["section": "helpSection"])
    case chatHelp(section: String)
    /// A welcome for people at a console.
    case welcome(user: User)
    /// A group was made.
    case groupCreated(user: User, groupInfo: GroupInfo)
    /// A channel was made.
    case publicGroupCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
    /// A channel could not be made.
    @JSONName(["results": "addRelayResults"])
    case publicGroupCreationFailed(user: User, results: [AddRelayResult])
    /// Relays of a channel.
    case groupRelays(user: User, groupInfo: GroupInfo, groupRelays: [GroupRelay])
    /// More relays were invited to a channel; all its relays. Of version 7.0.
    case groupRelaysAdded(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
    /// Some relays could not be invited to a channel; the others were. Of version 7.0.
    @JSONName(["results": "addRelayResults"])
    case groupRelaysAddFailed(user: User, results: [AddRelayResult])
    /// A relay accepts invitations to a channel again that it has left. Of version 7.0.
    case relayGroupAllowed(user: User, groupInfo: GroupInfo)
    /// Members of a group.
    case groupMembers(user: User, group: Group)
    /// Members with a support chat.
    case memberSupportChats(user: User, groupInfo: GroupInfo, members: [GroupMember])
    /// Contacts.
    case contactsList(user: User, contacts: [Contact])
    /// Address of the profile.
    case userContactLink(user: User, contactLink: UserContactLink)
    /// The address was changed.
    case userContactLinkUpdated(user: User, contactLink: UserContactLink)
    /// An address was made.
    @JSONName(["connectionLink": "connLinkContact"])
    case userContactLinkCreated(user: User, connectionLink: CreatedConnectionLink)
    /// The address was deleted.
    case userContactLinkDeleted(user: User)
    /// A request was refused.
    @JSONName(["contact": "contact_"])
    case contactRequestRejected(user: User, contactRequest: UserContactRequest, contact: Contact?)
    /// A request was accepted; connecting.
    case acceptingContactRequest(user: User, contact: Contact)
    /// The link leads to a contact that exists.
    case contactAlreadyExists(user: User, contact: Contact)
    /// An invitation to a group was accepted.
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    /// Members were removed.
    @JSONName(["isSigned": "msgSigned"])
    case userDeletedMembers(user: User, groupInfo: GroupInfo, members: [GroupMember], withMessages: Bool, isSigned: Bool)
    /// Groups.
    case groupsList(user: User, groups: [GroupInfo])
    /// An invitation to a group was sent.
    case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
    /// The progress of a transfer.
    @JSONPositional case fileTransferStatusXFTP(user: User, chatItem: ItemInChat)
    /// The state of a transfer without a message, or in messages: the transfer, and how many chunks have come.
    @JSONPositional case fileTransferStatus(user: User, status: FileTransferState)
    /// The profile.
    case userProfile(user: User, profile: Profile)
    /// The profile was as it should become.
    case userProfileNoChange(user: User)
    /// The profile was changed.
    @JSONName(["summary": "updateSummary"])
    case userProfileUpdated(user: User, fromProfile: Profile, toProfile: Profile, summary: UserProfileUpdateSummary)
    /// The profile with its picture.
    case userProfileImage(user: User, profile: Profile)
    /// A profile was hidden, muted or shown.
    case userPrivacy(user: User, updatedUser: User)
    /// Versions of the core and its databases.
    case versionInfo(versionInfo: CoreVersionInfo, chatMigrations: [DatabaseMigration] = [], agentMigrations: [DatabaseMigration] = [])
    /// A one-time link was made.
    @JSONName(["connectionLink": "connLinkInvitation"])
    case invitation(user: User, connectionLink: CreatedConnectionLink, connection: PendingContactConnection)
    /// The profile shown on a link was changed.
    @JSONName(["connection": "toConnection"])
    case connectionIncognitoUpdated(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    /// A link was moved to another profile.
    case connectionUserChanged(
        user: User, fromConnection: PendingContactConnection, toConnection: PendingContactConnection, newUser: User)
    /// The effect that connecting by a link would have. If a name was asked for, with that name, and with the name of the other kind that the same domain
    /// stands for: a name without a sign, such as `team.simplex`, can be that of a channel and of a contact.
    @JSONName(["connectionLink": "connLink", "name": "planSimplexName", "otherName": "otherSimplexName", "plan": "connectionPlan"])
    case connectionPlan(
        user: User, connectionLink: CreatedConnectionLink, name: SimplexNameInfo? = nil, otherName: SimplexNameInfo? = nil, plan: ConnectionPlan)
    /// Whether the domain that a contact claims leads to it; with the reason if it was not found to.
    @JSONName(["failure": "verificationFailure"])
    case contactDomainVerified(user: User, contact: Contact, failure: String?)
    /// Whether the domain that a channel claims leads to it; with the reason if it was not found to.
    @JSONName(["failure": "verificationFailure"])
    case groupDomainVerified(user: User, groupInfo: GroupInfo, failure: String?)
    /// A chat was made from a link.
    case newPreparedChat(user: User, chat: Chat)
    /// A prepared contact was moved to another profile.
    case contactUserChanged(user: User, fromContact: Contact, newUser: User, toContact: Contact)
    /// A prepared group was moved to another profile.
    case groupUserChanged(user: User, fromGroup: GroupInfo, newUser: User, toGroup: GroupInfo)
    /// An invitation was used.
    case sentConfirmation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    /// A request was sent to an address.
    case sentInvitation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    /// Connecting a prepared contact has begun.
    case startedConnectionToContact(user: User, contact: Contact, customUserProfile: Profile?)
    /// Joining a prepared group has begun.
    case startedConnectionToGroup(user: User, groupInfo: GroupInfo, customUserProfile: Profile?, relayResults: [RelayConnectionResult] = [])
    /// A request was sent to the address of a contact.
    case sentInvitationToContact(user: User, contact: Contact, customUserProfile: Profile?)
    /// Items were marked as read.
    case itemsReadForChat(user: User, chatInfo: ChatInfo)
    /// A contact was deleted.
    case contactDeleted(user: User, contact: Contact)
    /// A link was deleted.
    case contactConnectionDeleted(user: User, connection: PendingContactConnection)
    /// All items of a chat were deleted.
    case chatCleared(user: User, chatInfo: ChatInfo)
    /// This profile left a group.
    case leftMemberUser(user: User, groupInfo: GroupInfo)
    /// This profile deleted a group.
    @JSONName(["isSigned": "msgSigned"])
    case groupDeletedUser(user: User, groupInfo: GroupInfo, isSigned: Bool)
    /// The items that can be forwarded of some.
    @JSONName(["confirmation": "forwardConfirmation"])
    case forwardPlan(user: User, itemsCount: Int, chatItemIDs: [ChatItemID], confirmation: ForwardConfirmation?)
    /// A message that shares a chat.
    @JSONName(["content": "msgContent"])
    case chatMsgContent(user: User, content: MessageContent)
    /// A file will be downloaded.
    case rcvFileAccepted(user: User, chatItem: ItemInChat)
    /// A file was accepted, but its sender has cancelled it.
    @JSONName(["transfer": "rcvFileTransfer"])
    case rcvFileAcceptedSndCancelled(user: User, transfer: ReceivedFileTransfer)
    /// The data in the link of a file.
    case standaloneFileInfo(fileMeta: JSONValue?)
    /// A file will be downloaded by its link.
    @JSONName(["transfer": "rcvFileTransfer"])
    case rcvStandaloneFileCreated(user: User, transfer: ReceivedFileTransfer)
    /// A download was cancelled.
    @JSONName(["chatItem": "chatItem_", "transfer": "rcvFileTransfer"])
    case rcvFileCancelled(user: User, chatItem: ItemInChat?, transfer: ReceivedFileTransfer)
    /// An upload was cancelled.
    @JSONName(["chatItem": "chatItem_", "meta": "fileTransferMeta", "transfers": "sndFileTransfers"])
    case sndFileCancelled(user: User, chatItem: ItemInChat?, meta: JSONValue, transfers: [JSONValue])
    /// A file will be uploaded.
    @JSONName(["meta": "fileTransferMeta"])
    case sndStandaloneFileCreated(user: User, meta: JSONValue)
    /// A contact got an alias.
    @JSONName(["contact": "toContact"])
    case contactAliasUpdated(user: User, contact: Contact)
    /// A group got an alias.
    @JSONName(["groupInfo": "toGroup"])
    case groupAliasUpdated(user: User, groupInfo: GroupInfo)
    /// A link got an alias.
    @JSONName(["connection": "toConnection"])
    case connectionAliasUpdated(user: User, connection: PendingContactConnection)
    /// The preferences for a contact were changed.
    case contactPrefsUpdated(user: User, fromContact: Contact, toContact: Contact)
    /// A member joined.
    case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member was let in.
    case memberAccepted(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A support chat was marked as read.
    case memberSupportChatRead(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A support chat was deleted.
    case memberSupportChatDeleted(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// Members got another role.
    @JSONName(["role": "toRole", "isSigned": "msgSigned"])
    case membersRoleUser(user: User, groupInfo: GroupInfo, members: [GroupMember], role: GroupMemberRole, isSigned: Bool)
    /// Members were blocked for all, or unblocked.
    @JSONName(["isSigned": "msgSigned"])
    case membersBlockedForAllUser(user: User, groupInfo: GroupInfo, members: [GroupMember], blocked: Bool, isSigned: Bool)
    /// The profile of a group was changed.
    @JSONName(["member": "member_", "isSigned": "msgSigned"])
    case groupUpdated(user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member: GroupMember?, isSigned: Bool)
    /// The profile of a group.
    case groupProfile(user: User, groupInfo: GroupInfo)
    /// The welcome message of a group.
    case groupDescription(user: User, groupInfo: GroupInfo)
    /// A group link was made.
    case groupLinkCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
    /// The link of a group.
    case groupLink(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
    /// The link of a group was deleted.
    case groupLinkDeleted(user: User, groupInfo: GroupInfo)
    /// A contact was made from a member.
    case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// A member was invited to talk directly.
    case newMemberContactSentInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// The invitation of a member was accepted.
    case memberContactAccepted(user: User, contact: Contact)
    /// Calls that wait for an answer.
    case callInvitations(callInvitations: [JSONValue])
    /// State of the push token.
    case ntfTokenStatus(status: String)
    /// Devices that this core controls.
    case remoteHostList(remoteHosts: [JSONValue])
    /// Devices that control this core.
    case remoteCtrlList(remoteCtrls: [JSONValue])
    /// Rows that a query found.
    @JSONName("sQLResult") case sqlResult(rows: [String])
    /// The databases and files were exported.
    case archiveExported(archiveErrors: [ArchiveError] = [])
    /// The databases and files were imported.
    case archiveImported(archiveErrors: [ArchiveError] = [])
    /// Queries that took long.
    case slowSQLQueries(chatQueries: [JSONValue], agentQueries: [JSONValue])
    /// Locks that are held.
    case debugLocks(chatLockName: String?, chatEntityLocks: JSONValue, agentLocks: JSONValue)
    /// Received events that were quarantined because processes crashed on them.
    case quarantine(events: [QuarantinedEvent])
    /// A quarantined event has been received.
    case quarantineRetried(event: QuarantinedEvent)
    /// A quarantined event has been dropped.
    case quarantineDropped(event: QuarantinedEvent)
    /// Counts of subscriptions.
    @JSONName(["subscriptions": "subsTotal"])
    case agentSubsTotal(user: User, subscriptions: JSONValue, hasSession: Bool)
    /// Statistics by server.
    @JSONName(["summary": "serversSummary"])
    case agentServersSummary(user: User, summary: JSONValue)
    /// Workers of the agent.
    @JSONName(["details": "agentWorkersDetails"])
    case agentWorkersDetails(details: JSONValue)
    /// Counts of workers of the agent.
    @JSONName(["summary": "agentWorkersSummary"])
    case agentWorkersSummary(summary: JSONValue)
    /// Subscriptions by server.
    @JSONName(["active": "activeSubs", "pending": "pendingSubs", "removed": "removedSubs"])
    case agentSubs(active: JSONValue, pending: JSONValue, removed: JSONValue)
    /// Subscriptions with their queues.
    @JSONName(["subscriptions": "agentSubs"])
    case agentSubsDetails(subscriptions: JSONValue)
    /// Queues of the agent.
    @JSONName(["info": "agentQueuesInfo"])
    case agentQueuesInfo(info: JSONValue)
    /// Settings that an app keeps in the core.
    case appSettings(appSettings: JSONValue)
    /// Answer of an extension of the core.
    @JSONName(["user": "user_"])
    case customChatResponse(user: User?, response: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
