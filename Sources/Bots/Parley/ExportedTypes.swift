// The types of other modules that handlers are given or give: `import Parley` is enough to name them.

@_exported public import Hosting
@_exported public import WebClient

@_exported public import enum ChatAPI.ChatCommand
@_exported public import protocol ChatAPI.ChatCore
@_exported public import struct ChatAPI.ChatCoreError
@_exported public import enum ChatAPI.ChatEvent
@_exported public import enum ChatAPI.ChatInfo
@_exported public import struct ChatAPI.ChatItem
@_exported public import typealias ChatAPI.ChatItemID
@_exported public import enum ChatAPI.ChatPagination
@_exported public import struct ChatAPI.ChatReference
@_exported public import enum ChatAPI.ChatResponse
@_exported public import struct ChatAPI.Contact
@_exported public import typealias ChatAPI.ContactID
@_exported public import typealias ChatAPI.FileID
@_exported public import typealias ChatAPI.GroupID
@_exported public import struct ChatAPI.GroupInfo
@_exported public import struct ChatAPI.GroupInvitationItem
@_exported public import struct ChatAPI.GroupLink
@_exported public import struct ChatAPI.GroupMember
@_exported public import typealias ChatAPI.GroupMemberID
@_exported public import struct ChatAPI.GroupRelay
@_exported public import struct ChatAPI.ItemQuote
@_exported public import struct ChatAPI.JoinerRule
@_exported public import struct ChatAPI.RelayTestFailure
@_exported public import struct ChatAPI.UserContactRequest
@_exported public import typealias ChatAPI.UserID
@_exported public import enum ChatProtocol.GroupMemberRole
@_exported public import struct ChatProtocol.GroupPreferences
@_exported public import struct ChatProtocol.GroupProfile
@_exported public import struct ChatProtocol.MessageContent
@_exported public import enum ChatProtocol.ReportReason
