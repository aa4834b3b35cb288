/// Database id of a profile of a core.
public typealias UserID = Int64
/// Database id of a contact; unique in a core, across its profiles.
public typealias ContactID = Int64
/// Database id of a group; unique in a core, across its profiles.
public typealias GroupID = Int64
/// Database id of a member of a group.
public typealias GroupMemberID = Int64
/// Database id of a chat item.
public typealias ChatItemID = Int64
/// Database id of a request to be a contact.
public typealias UserContactRequestID = Int64
/// Database id of a stored profile.
public typealias ProfileID = Int64
/// Database id of a chat tag.
public typealias ChatTagID = Int64
/// Database id of a folder of notes.
public typealias NoteFolderID = Int64
/// Database id of a file.
public typealias FileID = Int64
