internal import ChatAPI
internal import ChatProtocol
internal import Foundation
public import Parley

/// A file that a person was sent.
public struct TestFile: Sendable, Hashable {
    /// The name without a folder.
    public let name: String
    /// The content.
    public let bytes: [UInt8]
    /// The text beside the file.
    public let caption: String
}

extension TestPerson {
    /// Sends a file of this machine to the bot, or into a group.
    ///
    /// - Parameter chat: the name of a contact or group; the bot that the person connected with if it is not given.
    /// - Throws: `BotFileError` for a file that is not there.
    public func send(file path: String, caption: String = "", in chat: String? = nil) async throws {
        try await send(OutgoingFile(path, caption: caption), in: chat)
    }

    /// Sends a file with some content to the bot, or into a group.
    ///
    /// - Parameter name: the name that the bot sees, with its ending.
    public func send(file name: String, containing bytes: [UInt8], caption: String = "", in chat: String? = nil) async throws {
        let path = try room.newFile(named: name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try await send(file: path, caption: caption, in: chat)
    }

    /// Sends a picture, a recording, a video or a file to the bot, or into a group.
    public func send(_ file: OutgoingFile, in chat: String? = nil) async throws { try await send(try file.composed(), in: chat) }

    /// Waits for the next message, checks that it has a file, and receives the file.
    ///
    /// - Parameter name: the name that the file must have; nil for any.
    /// - Throws: ``ConversationError`` if the next message has no such file, or if none comes; `BotFileError` for a file that cannot be received.
    @discardableResult
    public func expectFile(_ name: String? = nil, in chat: String? = nil, file: String = #fileID, line: Int = #line) async throws -> TestFile {
        let expected = name.map { "the file \"\($0)\"" } ?? "a file"
        let message = try await expect(expected, in: chat, file: file, line: line) { message in message.fileName.map { name == nil || $0 == name } ?? false }
        guard let item = try await items(in: chat).first(where: { $0.id == message.id }) else { throw TestRoomError("the message of the file is gone") }
        let received = try await core.receiveFile(
            of: item, in: try await reference(chat), as: user, from: .any, to: try room.newFile(named: message.fileName ?? "file"), within: TestRoom.patience)
        guard let path = received.fileSource?.filePath, let data = FileManager.default.contents(atPath: path) else {
            throw TestRoomError("the file of the message cannot be read")
        }
        return TestFile(name: received.fileName, bytes: Array(data), caption: message.text)
    }

    /// Uploads a file without a message, and returns a link of it.
    ///
    /// - Throws: `BotFileError` for a file that cannot be uploaded.
    public func upload(file name: String, containing bytes: [UInt8]) async throws -> String {
        let path = try room.newFile(named: name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let upload = try await StandaloneTransfer<[String]>.upload(CryptoFile(filePath: path), core: core, as: user, run)
        guard let link = try await upload.outcome(within: TestRoom.patience).first else { throw TestRoomError("the upload has no link") }
        return link
    }

    /// Downloads a file by its link. The link does not tell the name.
    ///
    /// - Throws: `BotFileError` for a file that cannot be downloaded.
    public func download(_ link: String) async throws -> [UInt8] {
        let path = try room.newFile(named: "download")
        let download = try await StandaloneTransfer<CryptoFile>.download(link, to: CryptoFile(filePath: path), from: .any, core: core, as: user, run)
        _ = try await download.outcome(within: TestRoom.patience)
        guard let data = FileManager.default.contents(atPath: path) else { throw TestRoomError("the downloaded file cannot be read") }
        return Array(data)
    }

    private func run(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse { try await core.send(command, as: user) }
}
