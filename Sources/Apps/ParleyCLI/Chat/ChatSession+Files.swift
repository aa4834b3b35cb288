internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Parley

/// Lines about files.
extension ChatSession {
    /// The time that a transfer may take before the session continues.
    static let transferLimit = Duration.seconds(3_600)

    /// Sends a file into the open chat, and waits until it is uploaded.
    func send(file path: String) async throws {
        try await upload(OutgoingFile(path, as: OutgoingFile.isPicture(path) ? .image : .file))
    }

    /// Sends a file and waits until its recipients can fetch it.
    ///
    /// - Parameter key: Makes the message be sent once for all calls with it; nil for none.
    /// - Returns: The item.
    @discardableResult
    func upload(_ file: OutgoingFile, within limit: Duration = ChatSession.transferLimit, onceAs key: String? = nil) async throws -> ChatItem {
        let chat = try openReference()
        guard let target = openTarget else { throw Outcome.BadInput("chat.noneOpen", description: "files cannot be sent into this chat") }
        guard case .newChatItems(_, let items) = try await run(.messages(.send(to: target, [try composed(file)])), onceAs: key),
            let item = items.first?.chatItem, let name = item.file?.fileName
        else { throw Outcome.Failed("core.invalidResponse", description: "the message was not taken") }
        let shown = printer.name(name)
        try await reporting {
            try await core.awaitUpload(of: item, in: chat, as: user.userID, within: limit) { [printer] in printer.show($0, "Sending \(shown)") }
        }
        printer.say("\(shown) is uploaded.")
        return item
    }

    private func composed(_ file: OutgoingFile) throws -> ComposedMessage {
        do throws(BotFileError) { return try file.composed(scalingInto: filesFolder) } catch {
            throw Outcome.BadInput(error.code.rawValue, description: error.message)
        }
    }

    /// Receives the file of a message of the open chat.
    ///
    /// - Parameter path: A folder, or the path of the file; nil for the folder for files.
    func save(_ id: ChatItemID?, to path: String?) async throws {
        let chat = try openReference()
        let item = try await target(id, in: chat, "a message with a file") { $0.direction.isReceived && $0.file != nil }
        guard let file = item.file else { throw Outcome.BadInput("chat.noMessage", description: "that message has no file") }
        let name = printer.name(file.fileName)
        let wanted = path.map { URL(fileURLWithPath: ($0 as NSString).expandingTildeInPath).standardizedFileURL.path }
        let received = try await reporting {
            // Who types the line knows whom it comes from: any router may be used.
            try await core.receiveFile(of: item, in: chat, as: user.userID, from: .any, to: wanted, within: Self.transferLimit) { [printer] in
                printer.show($0, "Receiving \(name)")
            }
        }
        guard let source = received.fileSource?.filePath else { return }
        let full = source.hasPrefix("/") ? source : filesFolder.map { $0 + "/" + source } ?? source
        printer.saved(received, at: full)
    }

    /// Runs a transfer, and ends its progress line.
    private func reporting<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        defer { Output.endProgress() }
        do {
            return try await body()
        } catch let error as BotFileError {
            throw Outcome.Failed(error.code.rawValue, description: error.message)
        }
    }
}

extension ChatPrinter {
    /// Shows the progress of a transfer to a person, in one line that changes.
    func show(_ progress: FileProgress, _ what: String) {
        guard !json else { return }
        let width = 24, done = Int(progress.fraction * Double(width))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: width - done)
        Output.progress("\(what) [\(bar)] \(Int(progress.fraction * 100)) % of \(Self.size(progress.total))")
    }

    /// A file that was received.
    func saved(_ file: ItemFile, at path: String) {
        if json { return object("saved", ["name": .string(file.fileName), "size": .int(file.fileSize), "path": .string(path)]) }
        Output.line("\(name(file.fileName)) is saved as \(VisibleText.line(path, limit: .max)).")
    }

    /// A file of a message, before its text.
    func mark(of file: ItemFile, isReceived: Bool) -> String {
        let kept = isReceived && file.status == .receiveInvitation ? "; :save receives it" : ""
        return "[\(name(file.fileName)), \(Self.size(file.fileSize))\(kept)] "
    }

    static func size(_ bytes: Int64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB"]
        var value = Double(bytes), unit = 0
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        return unit == 0
            ? "\(bytes) bytes" : "\(value.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US_POSIX")))) \(units[unit])"
    }
}
