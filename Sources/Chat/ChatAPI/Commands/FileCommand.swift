/// Commands about files.
public enum FileCommand: Sendable, Hashable {
    /// Downloads a file of a message. `path` is a folder or file; nil takes the folder that was set.
    case receive(FileID, approvedRelays: Bool = false, encrypt: Bool? = nil, inline: Bool? = nil, path: String? = nil)
    /// Notes that a file shall be downloaded, without starting.
    case setToReceive(FileID, approvedRelays: Bool = false, encrypt: Bool? = nil)
    /// Cancels a transfer.
    case cancel(FileID)
    /// Tells how far a transfer is.
    case status(FileID)
    /// Uploads a file and makes links to it.
    case upload(user: UserID, CryptoFile)
    /// Downloads a file by its link. Without `approvedRelays`, which official cores do not know, only routers of the user are used, and those that do not see
    /// this machine's address.
    case download(user: UserID, link: String, CryptoFile, approvedRelays: Bool = true)
    /// Reads the data in the link of a file.
    case linkInfo(String)
}

extension FileCommand {
    var commandString: String {
        switch self {
        case .receive(let id, let approved, let encrypt, let inline, let path):
            "/freceive \(id)\(CommandText.option(" approved_relays=", approved))\(CommandText.option(" encrypt=", encrypt))"
                + CommandText.option(" inline=", inline) + (path.map { " \($0)" } ?? "")
        case .setToReceive(let id, let approved, let encrypt):
            "/_set_file_to_receive \(id)\(CommandText.option(" approved_relays=", approved))"
                + CommandText.option(" encrypt=", encrypt)
        case .cancel(let id): "/fcancel \(id)"
        case .status(let id): "/fstatus \(id)"
        case .upload(let user, let file): "/_upload \(user) \(file.words)"
        case .download(let user, let link, let file, let approved):
            "/_download \(user) \(link)\(approved ? "" : " approved_relays=off") \(file.words)"
        case .linkInfo(let link): "/_download info \(link)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/freceive ", "/fr ") { r throws(CommandMismatch) in
            let id = try r.id(FileID.self)
            let approved = r.flag(after: " approved_relays=")
            let encrypt = r.optional(" encrypt=") { r throws(CommandMismatch) in try r.flag() }
            let inline = r.optional(" inline=") { r throws(CommandMismatch) in try r.flag() }
            let path = r.skip(" ") ? r.rest() : nil
            return .files(.receive(id, approvedRelays: approved, encrypt: encrypt, inline: inline, path: path))
        },
        CommandForm("/_set_file_to_receive ") { r throws(CommandMismatch) in
            let id = try r.id(FileID.self)
            let approved = r.flag(after: " approved_relays=")
            let encrypt = r.optional(" encrypt=") { r throws(CommandMismatch) in try r.flag() }
            return .files(.setToReceive(id, approvedRelays: approved, encrypt: encrypt))
        },
        CommandForm("/fcancel ", "/fc ") { r throws(CommandMismatch) in .files(.cancel(try r.id())) },
        CommandForm("/fstatus ", "/fs ") { r throws(CommandMismatch) in .files(.status(try r.id())) },
        CommandForm("/_upload ") { r throws(CommandMismatch) in
            .files(.upload(user: try r.idSpace(), r.cryptoFile()))
        },
        CommandForm("/_download info ") { r throws(CommandMismatch) in .files(.linkInfo(try r.fileLink())) },
        CommandForm("/_download ") { r throws(CommandMismatch) in
            let user = try r.idSpace(UserID.self)
            let link = try r.fileLink()
            let refusesOthers = r.skip(" approved_relays=off")
            try r.expect(" ")
            return .files(.download(user: user, link: link, r.cryptoFile(), approvedRelays: !refusesOthers))
        },
    ]
}

extension CryptoFile {
    /// Key and nonce if there are some, and the path.
    var words: String {
        cryptoArguments.map { " key=\($0.fileKey) nonce=\($0.fileNonce) \(filePath)" } ?? filePath
    }
}

extension CommandReader {
    /// Key and nonce if they come, and a path, which is all that is left.
    mutating func cryptoFile() -> CryptoFile {
        let arguments = optional(" key=") { reader throws(CommandMismatch) in
            let key = reader.word()
            try reader.expect(" nonce=")
            let nonce = reader.word()
            _ = reader.skip(" ")
            return CryptoFileArguments(fileKey: key, fileNonce: nonce)
        }
        return CryptoFile(filePath: rest(), cryptoArguments: arguments)
    }

    /// The members that the description of a file must have.
    private static let descriptionMembers = ["party", "size", "digest", "key", "nonce", "chunkSize", "replicas"]

    /// The link of a file.
    fileprivate mutating func fileLink() throws(CommandMismatch) -> String {
        let link = word()
        guard link.hasPrefix("simplex:/") || link.hasPrefix("https://"), let start = link.firstRange(of: "/file#/?desc=") else {
            throw CommandMismatch()
        }
        let description = link[start.upperBound...]
        guard Self.descriptionMembers.allSatisfy({ description.contains("\($0)%3A") }) else { throw CommandMismatch() }
        return link
    }
}
