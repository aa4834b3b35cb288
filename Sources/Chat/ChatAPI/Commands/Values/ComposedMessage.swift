public import ChatProtocol

/// A message to be sent.
public struct ComposedMessage: JSONObjectConvertible, Hashable {
    /// What it says.
    public var content: MessageContent
    /// File to send with it.
    public var fileSource: CryptoFile?
    /// Item that it answers.
    public var quotedItemID: ChatItemID?
    /// Members mentioned in its text, by the name used there.
    public var mentions: [String: GroupMemberID]

    /// Makes the value from its parts.
    public init(
        content: MessageContent, fileSource: CryptoFile? = nil, quotedItemID: ChatItemID? = nil,
        mentions: [String: GroupMemberID] = [:]
    ) {
        self.content = content
        self.fileSource = fileSource
        self.quotedItemID = quotedItemID
        self.mentions = mentions
    }
}

extension ComposedMessage {
    public init(object: JSONObject) throws(JSONError) {
        content = try object.required("msgContent")
        fileSource = try object.optional("fileSource")
        quotedItemID = try object.optional("quotedItemId")
        mentions = try object.map("mentions")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["msgContent"] = content
        object["fileSource"] = fileSource
        object["quotedItemId"] = quotedItemID
        object["mentions"] = mentions
    }
}

/// A message as it should become.
public struct UpdatedMessage: JSONObjectConvertible, Hashable {
    /// What it says.
    public var content: MessageContent
    /// Members mentioned in its text, by the name used there.
    public var mentions: [String: GroupMemberID]

    /// Makes the value from its parts.
    public init(content: MessageContent, mentions: [String: GroupMemberID] = [:]) {
        self.content = content
        self.mentions = mentions
    }
}

extension UpdatedMessage {
    public init(object: JSONObject) throws(JSONError) {
        content = try object.required("msgContent")
        mentions = try object.map("mentions")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["msgContent"] = content
        object["mentions"] = mentions
    }
}

/// A tag as it should become.
public struct ChatTagData: JSONObjectConvertible, Hashable {
    /// Symbol.
    public var emoji: String?
    /// Name.
    public var text: String

    /// Makes the value from its parts.
    public init(emoji: String? = nil, text: String) {
        self.emoji = emoji
        self.text = text
    }
}

extension ChatTagData {
    public init(object: JSONObject) throws(JSONError) {
        emoji = try object.optional("emoji")
        text = try object.required("text")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["emoji"] = emoji
        object["text"] = text
    }
}

/// Where an archive of the databases and files is.
public struct ArchiveConfig: JSONObjectConvertible, Hashable {
    /// Path of the archive.
    public var archivePath: String
    /// Whether it is not compressed.
    public var disableCompression: Bool?
    /// Folder for temporary files.
    public var parentTempDirectory: String?

    /// Makes the value from its parts.
    public init(archivePath: String, disableCompression: Bool? = nil, parentTempDirectory: String? = nil) {
        self.archivePath = archivePath
        self.disableCompression = disableCompression
        self.parentTempDirectory = parentTempDirectory
    }
}

extension ArchiveConfig {
    public init(object: JSONObject) throws(JSONError) {
        archivePath = try object.required("archivePath")
        disableCompression = try object.optional("disableCompression")
        parentTempDirectory = try object.optional("parentTempDirectory")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["archivePath"] = archivePath
        object["disableCompression"] = disableCompression
        object["parentTempDirectory"] = parentTempDirectory
    }
}

/// How the encryption of the databases should change. An empty key means none.
public struct DatabaseEncryptionConfig: JSONObjectConvertible, Hashable {
    /// The key now.
    public var currentKey: String
    /// The key then.
    public var newKey: String
    /// Whether the key is kept in memory.
    public var keepKey: Bool?

    /// Makes the value from its parts.
    public init(currentKey: String, newKey: String, keepKey: Bool? = nil) {
        self.currentKey = currentKey
        self.newKey = newKey
        self.keepKey = keepKey
    }
}

extension DatabaseEncryptionConfig {
    public init(object: JSONObject) throws(JSONError) {
        currentKey = try object.required("currentKey")
        newKey = try object.required("newKey")
        keepKey = try object.optional("keepKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["currentKey"] = currentKey
        object["newKey"] = newKey
        object["keepKey"] = keepKey
    }
}

/// Folders of an app.
public struct AppFilePaths: JSONObjectConvertible, Hashable {
    /// For files of chats.
    public var filesFolder: String
    /// For temporary files.
    public var temporaryFolder: String
    /// For wallpapers and the like.
    public var assetsFolder: String
    /// For files of controlled devices.
    public var remoteHostsFolder: String?

    /// Makes the value from its parts.
    public init(filesFolder: String, temporaryFolder: String, assetsFolder: String, remoteHostsFolder: String? = nil) {
        self.filesFolder = filesFolder
        self.temporaryFolder = temporaryFolder
        self.assetsFolder = assetsFolder
        self.remoteHostsFolder = remoteHostsFolder
    }
}

extension AppFilePaths {
    public init(object: JSONObject) throws(JSONError) {
        filesFolder = try object.required("appFilesFolder")
        temporaryFolder = try object.required("appTempFolder")
        assetsFolder = try object.required("appAssetsFolder")
        remoteHostsFolder = try object.optional("appRemoteHostsFolder")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["appFilesFolder"] = filesFolder
        object["appTempFolder"] = temporaryFolder
        object["appAssetsFolder"] = assetsFolder
        object["appRemoteHostsFolder"] = remoteHostsFolder
    }
}

/// What an app knows of the network.
public struct UserNetworkInfo: JSONObjectConvertible, Hashable {
    /// Kind of network.
    public var networkType: String
    /// Whether there is one.
    public var online: Bool

    /// Makes the value from its parts.
    public init(networkType: String, online: Bool) {
        self.networkType = networkType
        self.online = online
    }
}

extension UserNetworkInfo {
    public init(object: JSONObject) throws(JSONError) {
        networkType = try object.required("networkType")
        online = try object.required("online")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["networkType"] = networkType
        object["online"] = online
    }
}
