package import ChatAPI
internal import ChatEngine
internal import ChatProtocol
internal import Foundation
internal import Pictures

/// A file that a bot sends.
///
/// It must stay as it is until its upload is complete (``SentMessage/awaitUpload(within:progress:)``): its content is read after the message is stored.
public struct OutgoingFile: Sendable, Hashable {
    /// The content that recipients see for the file.
    public enum Appearance: Sendable, Hashable {
        /// A name with a size.
        case file
        /// A picture with a preview. Of a JPEG, PNG or WebP the preview is made; of other pictures it is grey.
        case image
        /// A recording of a voice, of that many seconds.
        case voice(seconds: Int)
        /// A video of that many seconds. `thumbnail` is the path of a picture for its preview; nil for a grey one.
        case video(seconds: Int, thumbnail: String? = nil)
    }

    /// The path, from the working directory of the process if it does not begin with a slash. The recipients see its last part as the name.
    public var path: String
    /// The appearance.
    public var appearance: Appearance
    /// The text beside the file.
    public var caption: String
    /// True if a picture above 255 KiB is made smaller before it is sent, as the official apps do: they receive larger ones only when somebody asks for it.
    /// A picture that the bot has received is sent as it is.
    public var scalesPicture: Bool
    /// The received file; nil for a file that is named by its path.
    private var received: CryptoFile?

    /// Creates the value from its parts.
    public init(_ path: String, as appearance: Appearance = .file, caption: String = "", scalesPicture: Bool = true) {
        self.path = path
        self.appearance = appearance
        self.caption = caption
        self.scalesPicture = scalesPicture
    }

    /// A file that the bot has received: to return it, or to pass it on. It is decrypted, where received files are encrypted.
    public init(_ file: ReceivedFile, as appearance: Appearance = .file, caption: String = "") {
        self.init(file.path, as: appearance, caption: caption)
        received = CryptoFile(filePath: file.path, cryptoArguments: file.source.cryptoArguments)
    }

    /// A file as commands name it.
    init(source: CryptoFile, as appearance: Appearance, caption: String) {
        self.init(source.filePath, as: appearance, caption: caption)
        if source.cryptoArguments != nil { received = source }
    }

    /// True if the name is that of a picture of which a preview can be made.
    package static func isPicture(_ path: String) -> Bool {
        let name = path.lowercased()
        return [".jpg", ".jpeg", ".png", ".webp"].contains(where: name.hasSuffix)
    }

    /// The path from the root.
    static func fullPath(_ path: String) -> String {
        URL(fileURLWithPath: (path as NSString).expandingTildeInPath).standardizedFileURL.path
    }

    /// The bytes that a preview may have: with the rest of the message they fit into the shortest that can be sent.
    static let previewBytes = 9_000
    /// Seconds of a recording that official clients take.
    static let longestVoice = 300

    /// The file as commands name it.
    var source: CryptoFile { CryptoFile(filePath: Self.fullPath(path), cryptoArguments: received?.cryptoArguments) }

    /// The message with the file, in the form of a command.
    ///
    /// - Parameter folder: The folder of files of the data folder, where the smaller copy of a large picture is stored; nil to make no copy.
    /// - Throws: ``BotFileError``: `notFound`, `picture`.
    package func composed(quoting item: ChatItemID? = nil, scalingInto folder: String? = nil) throws(BotFileError) -> ComposedMessage {
        let full = Self.fullPath(path)
        guard FileManager.default.isReadableFile(atPath: full) else {
            throw BotFileError(.notFound, "there is no file \(full), or it cannot be read")
        }
        var source = source
        let content: MessageContent
        switch appearance {
        case .file: content = .file(caption)
        case .image:
            content = .image(text: caption, image: try Self.preview(of: source))
            if let folder, scalesPicture, source.cryptoArguments == nil, let smaller = try ScaledPicture.make(of: full, in: folder) {
                source = CryptoFile(filePath: smaller)
            }
        case .voice(let seconds): content = .voice(text: caption, duration: min(max(seconds, 0), Self.longestVoice))
        case .video(let seconds, let thumbnail):
            content = .video(
                text: caption,
                image: try thumbnail.map { path throws(BotFileError) in try Self.preview(of: CryptoFile(filePath: Self.fullPath(path))) } ?? .grey,
                duration: max(seconds, 0))
        }
        return ComposedMessage(content: content, fileSource: source, quotedItemID: item)
    }

    fileprivate static func preview(of file: CryptoFile) throws(BotFileError) -> ImageData {
        let path = file.filePath, data: [UInt8]
        do {
            data = try file.contents(at: path, upTo: 1 << 30)
        } catch {
            throw BotFileError(.notFound, "there is no picture \(path), or it cannot be read")
        }
        guard !data.isEmpty else { throw BotFileError(.picture, "\(path) is empty") }
        do throws(PictureError) {
            let preview = try Picture(decoding: data).preview(limit: previewBytes)
            return ImageData("data:image/jpg;base64," + Data(preview).base64EncodedString())
        } catch {
            // Clients show other kinds, too; only a preview cannot be made of them here.
            if error.code == .format { return .grey }
            throw BotFileError(.picture, "\(path): \(error.message)")
        }
    }
}

extension BotProfile {
    /// The picture of a file, for ``image``: a small copy of a JPEG, PNG or WebP.
    ///
    /// - Throws: ``BotFileError``: `notFound`, `picture` for a file that is no such picture or is damaged.
    public static func picture(from path: String) throws(BotFileError) -> String {
        let picture = try OutgoingFile.preview(of: OutgoingFile(path).source)
        guard picture != .grey else { throw BotFileError(.picture, "\(path) is no JPEG, PNG or WebP picture") }
        return picture.uri
    }
}

extension ImageData {
    /// A grey picture, for files without a preview.
    fileprivate static let grey = ImageData(
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADklEQVR42mNogAIGyhgAgIQgARDoahcAAAAASUVORK5CYII=")
}

/// Why a file could not be sent or received.
public struct BotFileError: CodedError, Sendable, Hashable {
    /// The kind of fault; stable.
    public enum Code: String, Sendable, Hashable {
        /// There is no such file, or it cannot be read.
        case notFound = "file.notFound"
        /// The picture is damaged or too large for a preview.
        case picture = "file.picture"
        /// The message has no file.
        case noFile = "file.none"
        /// The file is larger than was allowed.
        case tooLarge = "file.tooLarge"
        /// The text is not the link of a file.
        case link = "file.link"
        /// There is a file at the path already.
        case exists = "file.exists"
        /// The file is on routers that the bot does not use, and nobody allowed others.
        case unknownRouter = "file.unknownRouter"
        /// The transfer was cancelled.
        case cancelled = "file.cancelled"
        /// The transfer failed, or the file is gone from the routers.
        case failed = "file.failed"
        /// The time was over. The transfer continues.
        case timedOut = "file.timedOut"
    }

    /// The stable code.
    public let code: Code
    /// A description of the error and its fix.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
