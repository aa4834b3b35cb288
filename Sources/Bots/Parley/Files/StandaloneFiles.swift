public import ChatAPI
internal import ChatEngine
internal import ChatProtocol
import ChatRules
internal import Foundation
internal import SMPWire
internal import XFTPProtocol

// Files without a message: everybody who has the link of a file can download it.

extension BotClient {
    /// Uploads a file without a message. The upload continues in the background, and ``FileUpload/links(within:progress:)`` waits for its end.
    ///
    /// ```swift
    /// let upload = try await message.client.upload("menu.pdf")
    /// try await message.reply("The menu: \(try await upload.link())")
    /// ```
    ///
    /// A handler that runs again after a crash uploads again.
    ///
    /// - Parameter path: the path, from the working directory of the process if it does not begin with a slash. Do not change the file before its upload is
    ///   complete.
    /// - Throws: ``BotFileError`` `notFound`; `ChatCoreError`: `error.fileSize` above 5 GiB, `core.unsupported` in a dry run.
    public func upload(_ path: String) async throws -> FileUpload { try await upload(OutgoingFile(path)) }

    /// Uploads a file that the bot has received, without a message. It is decrypted, where received files are encrypted.
    public func upload(_ file: ReceivedFile) async throws -> FileUpload { try await upload(OutgoingFile(file)) }

    private func upload(_ file: OutgoingFile) async throws -> FileUpload {
        let source = file.source
        guard FileManager.default.isReadableFile(atPath: source.filePath) else {
            throw BotFileError(.notFound, "there is no file \(source.filePath), or it cannot be read")
        }
        let transfer = try await StandaloneTransfer<[String]>.upload(source, core: effects.core, as: effects.userID, effects.perform)
        return FileUpload(id: transfer.id, client: self, transfer: transfer)
    }

    /// Downloads a file by its link. The download continues in the background, also after a restart, and ``FileDownload/file(within:progress:)`` waits for
    /// its end.
    ///
    /// The file is encrypted like those of messages are (``HostConfiguration/encryptsFiles``); ``ReceivedFile/copy(to:)`` decrypts it.
    ///
    /// - Parameters:
    ///   - link: the link: `simplex:/file#…`, or `https://…/file#…`.
    ///   - path: where the file will be, from the working directory of the process if it does not begin with a slash. There must be no file.
    ///   - size: bytes that the file may have. A link tells the size up to 8 MiB more; of a file that is larger in the end, nothing is kept.
    ///   - sources: the routers that may be used.
    /// - Throws: ``BotFileError``: `link`, `tooLarge`, `exists`, `unknownRouter`; `ChatCoreError`.
    public func download(
        _ link: String, to path: String, upTo size: Int64 = 1 << 30, from sources: FileSources = .own
    ) async throws -> FileDownload {
        let description: XFTPProtocol.FileDescription
        do throws(WireError) {
            description = try FileDescriptionLink(wireString: link).description
        } catch {
            throw BotFileError(.link, "the text is not the link of a file: \(error)")
        }
        let announced = (description.redirect?.size ?? description.size) - FileLimits.encryptionOverhead
        guard announced <= size else { throw BotFileError(.tooLarge, "the file has at least \(announced) bytes, and \(size) are allowed") }
        let encrypts = effects.services?.encryptsFiles == true
        let target = CryptoFile(filePath: OutgoingFile.fullPath(path), cryptoArguments: encrypts ? .random() : nil)
        let transfer = try await StandaloneTransfer<CryptoFile>.download(
            link, to: target, from: sources, core: effects.core, as: effects.userID, effects.perform)
        return FileDownload(id: transfer.id, client: self, limit: size, transfer: transfer)
    }

    /// A download that was begun before, also by an earlier run of the program.
    ///
    /// - Parameters:
    ///   - id: its ``FileDownload/id``.
    ///   - size: bytes that the file may have.
    /// - Throws: ``BotFileError`` `noFile` if the bot has no such download; `ChatCoreError`.
    public func download(_ id: FileID, upTo size: Int64 = 1 << 30) async throws -> FileDownload {
        let transfer = try await StandaloneTransfer<CryptoFile>.download(id, core: effects.core, as: effects.userID)
        return FileDownload(id: id, client: self, limit: size, transfer: transfer)
    }

    /// Cancels the transfer of a file without a message. Uploaded parts are deleted from the routers, and the links become invalid. Downloaded parts
    /// are deleted.
    ///
    /// - Parameter id: ``FileUpload/id`` or ``FileDownload/id``, also of an earlier run of the program.
    /// - Throws: `ChatCoreError`: `errorStore.fileNotFound`; a code `error.…` for a download that is complete.
    public func cancelFile(_ id: FileID) async throws { _ = try await effects.perform(.files(.cancel(id))) }
}

/// An upload of a file without a message.
public struct FileUpload: Sendable {
    /// The id of the file. With it ``BotClient/cancelFile(_:)`` deletes the file later.
    public let id: FileID
    let client: BotClient
    let transfer: StandaloneTransfer<[String]>

    /// Waits until the file is uploaded, and returns its links. All lead to the same file, and each can be used by many people.
    ///
    /// Only the process that has begun the upload gets the links. After a restart, upload the file again.
    ///
    /// - Parameters:
    ///   - limit: the time to wait; the upload goes on afterwards.
    ///   - progress: called with the progress so far.
    /// - Throws: ``BotFileError``: `cancelled`, `failed`, `timedOut`; `ChatCoreError`.
    public func links(within limit: Duration = .seconds(600), progress: @escaping @Sendable (FileProgress) -> Void = { _ in }) async throws -> [String] {
        try await JobSlot.released { try await transfer.outcome(within: limit, progress: progress) }
    }

    /// Waits until the file is uploaded, and returns the first of its links.
    ///
    /// The parameters and errors are those of ``links(within:progress:)``.
    public func link(within limit: Duration = .seconds(600), progress: @escaping @Sendable (FileProgress) -> Void = { _ in }) async throws -> String {
        guard let link = try await links(within: limit, progress: progress).first else { throw BotFileError(.failed, "the core has made no link") }
        return link
    }

    /// The progress of the upload: the sequence ends when the file is uploaded. The errors are those of ``links(within:progress:)``.
    public func progress(within limit: Duration = .seconds(600)) -> FileProgressSequence {
        FileProgressSequence { progress in try await self.links(within: limit, progress: progress) }
    }

    /// Cancels the upload. The routers delete the file, also a complete one, and its links become invalid.
    ///
    /// - Throws: `ChatCoreError`.
    public func cancel() async throws {
        try await client.cancelFile(id)
        transfer.cancelled()
    }
}

/// A download of a file by its link.
public struct FileDownload: Sendable {
    /// The id of the file. With it ``BotClient/download(_:upTo:)`` finds the download again after a restart.
    public let id: FileID
    let client: BotClient
    /// Bytes that the file may have.
    let limit: Int64
    let transfer: StandaloneTransfer<CryptoFile>

    /// Waits until the file has arrived.
    ///
    /// - Parameters:
    ///   - limit: the time to wait; the download goes on afterwards.
    ///   - progress: called with the progress so far.
    /// - Throws: ``BotFileError``: `tooLarge`, `unknownRouter`, `cancelled`, `failed`, `timedOut`, `notFound` for a file that was removed meanwhile;
    ///   `ChatCoreError`.
    @discardableResult
    public func file(within limit: Duration = .seconds(600), progress: @escaping @Sendable (FileProgress) -> Void = { _ in }) async throws -> ReceivedFile {
        let source = try await JobSlot.released { try await transfer.outcome(within: limit, progress: progress) }
        let path = source.filePath, size: Int64
        do {
            size = try source.contentSize(at: path)
        } catch {
            throw BotFileError(.notFound, "\(path) cannot be read: \(error)")
        }
        guard size <= self.limit else {
            try? FileManager.default.removeItem(atPath: path)
            throw BotFileError(.tooLarge, "the file has \(size) bytes, and \(self.limit) are allowed")
        }
        return ReceivedFile(name: (path as NSString).lastPathComponent, size: size, path: path, source: source)
    }

    /// The progress of the download: the sequence ends when the file is there. The errors are those of ``file(within:progress:)``.
    public func progress(within limit: Duration = .seconds(600)) -> FileProgressSequence {
        FileProgressSequence { progress in try await self.file(within: limit, progress: progress) }
    }

    /// Cancels the download, and deletes the received part.
    ///
    /// - Throws: `ChatCoreError`: a code `error.…` if the download is complete already.
    public func cancel() async throws {
        try await client.cancelFile(id)
        transfer.cancelled()
    }
}
