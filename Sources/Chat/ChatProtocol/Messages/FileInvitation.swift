/// How a small file travels inside messages. Only old clients do that; files go by XFTP.
public enum InlineFileMode: String, TextCode {
    /// It is sent once it is accepted.
    case offer
    /// It is sent without being accepted.
    case sent
}

/// A part of the description by which a file is fetched over XFTP (xftp.md, "File description").
public struct FileDescription: Hashable, JSONConvertible {
    /// Part of the YAML text; at most ``ChatLimits/fileDescriptionPart`` bytes.
    public var text: String
    /// The part in the invitation is 0, those that follow in messages of their own are counted from 1.
    public var partNumber: Int
    /// Whether this is the last part.
    public var isComplete: Bool

    public init(text: String, partNumber: Int, isComplete: Bool) {
        self.text = text
        self.partNumber = partNumber
        self.isComplete = isComplete
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        text = try object.required("fileDescrText")
        partNumber = try object.required("fileDescrPartNo")
        isComplete = try object.required("fileDescrComplete")
    }

    public var json: JSONValue {
        ["fileDescrText": .string(text), "fileDescrPartNo": .int(partNumber), "fileDescrComplete": .bool(isComplete)]
    }
}

/// A file that comes with a message.
public struct FileInvitation: Hashable, JSONObjectConvertible {
    /// A name without folders; who saves the file must check that.
    public var name: String
    /// Bytes.
    public var size: Int64
    /// SHA-512 of the file's content.
    public var digest: Base64URLBytes?
    /// The connection by which very old clients send files.
    public var connectionRequest: String?
    /// Set if the file travels inside messages.
    public var inline: InlineFileMode?
    /// The first part of the file description, empty while the file is still being uploaded.
    public var fileDescription: FileDescription?

    public init(
        name: String, size: Int64, digest: Base64URLBytes? = nil, connectionRequest: String? = nil,
        inline: InlineFileMode? = nil, fileDescription: FileDescription? = nil
    ) {
        self.name = name
        self.size = size
        self.digest = digest
        self.connectionRequest = connectionRequest
        self.inline = inline
        self.fileDescription = fileDescription
    }

    public init(object: JSONObject) throws(JSONError) {
        name = try object.required("fileName")
        size = try object.required("fileSize")
        digest = try object.optional("fileDigest")
        connectionRequest = try object.optional("fileConnReq")
        inline = try object.optional("fileInline")
        fileDescription = try object.optional("fileDescr")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("fileName", name)
        object.add("fileSize", size)
        object.add("fileDigest", digest)
        object.add("fileConnReq", connectionRequest)
        object.add("fileInline", inline)
        object.add("fileDescr", fileDescription)
    }
}
