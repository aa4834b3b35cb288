import ChatProtocol
import Foundation
import ProcessSupport
import SMPCrypto
import SMPWire
import Testing
import XFTPProtocol

/// Two parties of both implementations with a file router, which belongs to the test.
struct FileExchange: Sendable {
    let files: any FileRouterProcess
    let sender, receiver: Side

    /// - Parameter receiverKnows: The file router that the receiver knows; nil for the sender's.
    static func prepare(_ way: Meeting, receiverKnows other: (any FileRouterProcess)? = nil) async throws -> FileExchange {
        let router = try await Stage.shared.router(way.router)
        let files = try await way.router.fileRouter()
        async let host = way.host.party("hanna", servers: [router.address], fileServers: [files.address])
        let guest = try await way.host.other.party("gustav", servers: [router.address], fileServers: [(other ?? files).address])
        let encounter = Encounter(router: router, host: try await host, guest: guest)
        let (sender, receiver) = try await encounter.connect()
        return FileExchange(files: files, sender: sender, receiver: receiver)
    }

    func close() async throws {
        try await sender.party.leave()
        try await receiver.party.leave()
        await files.end(.kill)
    }
}

extension Side {
    private func path(_ name: String) -> String { party.folder.path + "/files/" + name }

    /// Makes a file of random bytes in the folder for files.
    ///
    /// - Parameter key: The key under which it is encrypted there; nil for none.
    func make(_ name: String, size: Int, key: LocalFile.Key? = nil) throws {
        let source = SeededRandomSource(seed: UInt64(size))
        let block = source.bytes(min(size, 1 << 20))
        var writer = try LocalFileWriter(LocalFile(path(name), key: key))
        var left = size
        // Blocks that differ, so that chunks in the wrong order would show.
        var number: UInt8 = 0
        while left > 0 {
            var piece = Bytes(block.prefix(left))
            piece[0] = number
            number &+= 1
            left -= piece.count
            try writer.write(piece)
        }
        try writer.finish()
    }

    /// Offers a file of the folder for files.
    ///
    /// - Returns: The ids of the item and of the file.
    @discardableResult
    func offer(_ name: String, _ content: JSONValue = ["type": "file", "text": ""], key: LocalFile.Key? = nil) async throws -> (item: Int64, file: Int64) {
        var source: JSONObject = ["filePath": .string(name)]
        if let key {
            source["cryptoArgs"] = [
                "fileKey": .string(key.key.secret.withBytes { Base64URL.encode(Array($0)) }), "fileNonce": .string(Base64URL.encode(key.nonce.bytes)),
            ]
        }
        let message: JSONValue = ["msgContent": content, "fileSource": .object(source), "mentions": [:]]
        let response = try await party.send("/_send @\(contact) json \(JSONValue.array([message]).text)")
        let item = try #require(response["chatItems"]?[0]?["chatItem"])
        return (try #require(item.itemID), try #require(item["file"]?["fileId"]?.intValue))
    }

    /// Waits for the offer of a file.
    ///
    /// - Returns: The id of the file.
    func offered(_ name: String) async throws -> Int64 {
        let item = try await item("newChatItems") { $0["file"]?["fileName"]?.stringValue == name }
        return try #require(item["file"]?["fileId"]?.intValue)
    }

    /// Receives a file that was offered.
    func accept(_ name: String, options: String = "") async throws -> Int64 {
        let id = try await offered(name)
        try await party.event("rcvFileDescrReady", within: .seconds(900)) { $0["chatItem"]?["chatItem"]?["file"]?["fileId"]?.intValue == id ? true : nil }
        try await party.send("/freceive \(id)\(options)")
        return id
    }

    /// Waits until the sender has cancelled a file, which cannot be received then.
    func expectCancelled(_ id: Int64) async throws {
        try await fileEvent("rcvFileSndCancelled")
        await #expect(throws: PeerError.self) { try await party.send("/freceive \(id)") }
    }

    /// Cancels a file as its receiver, accepts it again, and waits until it is there.
    func cancelAndAcceptAgain(_ id: Int64) async throws -> LocalFile {
        try await party.send("/fcancel \(id)")
        try await party.send("/freceive \(id)")
        return try await received(id)
    }

    /// Waits until a file is there.
    func received(_ id: Int64, within limit: Duration = .seconds(120)) async throws -> LocalFile {
        let item = try await party.event("rcvFileComplete", within: limit) { event -> JSONValue? in
            let item = event["chatItem"]?["chatItem"]
            return item?["file"]?["fileId"]?.intValue == id ? item : nil
        }
        let source = try #require(item["file"]?["fileSource"])
        let name = try #require(source["filePath"]?.stringValue)
        var file = LocalFile(path(name))
        if let arguments = source["cryptoArgs"] {
            let key = try #require(arguments["fileKey"]?.stringValue.flatMap { Base64URL.decode($0) })
            let nonce = try #require(arguments["fileNonce"]?.stringValue.flatMap { Base64URL.decode($0) })
            file.key = LocalFile.Key(key: try BoxSecret(SecretBytes(wiping: key)), nonce: try BoxNonce(nonce))
        }
        return file
    }

    /// A file of the folder for files.
    func file(_ name: String, key: LocalFile.Key? = nil) -> LocalFile { LocalFile(path(name), key: key) }

    /// Waits for an event about a file of this side.
    func fileEvent(_ type: String, within limit: Duration = .seconds(120)) async throws { try await party.event(type, within: limit) }
}

/// True if two files have the same content; both are read in pieces.
func haveSameContent(_ one: LocalFile, _ other: LocalFile) throws -> Bool {
    var left = try LocalFileReader(one)
    var right = try LocalFileReader(other)
    guard left.contentSize == right.contentSize else { return false }
    while let piece = try left.next() { guard try right.next() == piece else { return false } }
    try left.finish()
    try right.finish()
    return true
}
