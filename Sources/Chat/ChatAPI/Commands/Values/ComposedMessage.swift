public import ChatProtocol

/// A message to be sent.
@JSONMembers
public struct ComposedMessage: JSONObjectConvertible, Hashable {
    /// The content.
    @JSONName("msgContent") public var content: MessageContent
    /// File to send with it.
    public var fileSource: CryptoFile?
    /// Item that it answers.
    public var quotedItemID: ChatItemID?
    /// Members mentioned in its text, by the name used there.
    public var mentions: [String: GroupMemberID] = [:]
}

/// A message as it should become.
@JSONMembers
public struct UpdatedMessage: JSONObjectConvertible, Hashable {
    /// The content.
    @JSONName("msgContent") public var content: MessageContent
    /// Members mentioned in its text, by the name used there.
    public var mentions: [String: GroupMemberID] = [:]
}

/// A tag as it should become.
@JSONMembers
public struct ChatTagData: JSONObjectConvertible, Hashable {
    /// Symbol.
    public var emoji: String?
    /// Name.
    public var text: String
}

/// Where an archive of the databases and files is.
@JSONMembers
public struct ArchiveConfig: JSONObjectConvertible, Hashable {
    /// Path of the archive.
    public var archivePath: String
    /// True if it is not compressed.
    public var disableCompression: Bool?
    /// Folder for temporary files.
    public var parentTempDirectory: String?
}

/// The requested change of the encryption of the databases. An empty key means none.
@JSONMembers
public struct DatabaseEncryptionConfig: JSONObjectConvertible, Hashable {
    /// The key now.
    public var currentKey: String
    /// The key then.
    public var newKey: String
    /// True if the key is kept in memory.
    public var keepKey: Bool?
}

/// Folders of an app.
@JSONMembers
public struct AppFilePaths: JSONObjectConvertible, Hashable {
    /// For files of chats.
    @JSONName("appFilesFolder") public var filesFolder: String
    /// For temporary files.
    @JSONName("appTempFolder") public var temporaryFolder: String
    /// For wallpapers and the like.
    @JSONName("appAssetsFolder") public var assetsFolder: String
    /// For files of controlled devices.
    @JSONName("appRemoteHostsFolder") public var remoteHostsFolder: String?
}

/// An app's knowledge of the network.
@JSONMembers
public struct UserNetworkInfo: JSONObjectConvertible, Hashable {
    /// Kind of network.
    public var networkType: String
    /// True if there is a network.
    public var online: Bool
}
