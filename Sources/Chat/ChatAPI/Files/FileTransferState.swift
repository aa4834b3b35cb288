public import ChatProtocol

/// The state of a transfer in the form of the official core: the transfer, and how many chunks have come.
public struct FileTransferState: JSONConvertible, Hashable {
    /// The JSON form, of the newest version of the API.
    public let json: JSONValue

    /// Wraps the JSON form.
    public init(json: JSONValue) { self.json = json }

    /// Appends the form of the version: programs for 6.5 do not get the type of a received file.
    public func write(to writer: inout JSONWriter) { writer.write(writer.version < .v70Beta ? withoutFileType : json) }

    private var withoutFileType: JSONValue {
        guard var parts = json.arrayValue, var transfer = parts.first?.objectValue, var received = transfer["rcvFileTransfer"]?.objectValue else {
            return json
        }
        received["fileType"] = nil
        transfer["rcvFileTransfer"] = .object(received)
        parts[0] = .object(transfer)
        return .array(parts)
    }
}
