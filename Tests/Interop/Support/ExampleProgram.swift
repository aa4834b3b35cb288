import ChatProtocol
import Foundation
import ProcessSupport
import Testing

/// An example bot, run as the program that its users build.
struct ExampleProgram {
    let process: ChildProcess
    private let folder: ScratchFolder

    /// Starts it on a data folder of its own.
    ///
    /// - Parameters:
    ///   - name: the name of the executable.
    ///   - server: the router that it uses.
    init(_ name: String, server: String, environment: [String: String] = [:]) throws {
        let path = URL(fileURLWithPath: ParleyProgram.path).deletingLastPathComponent().appendingPathComponent(name).path
        let folder = try ScratchFolder(name)
        let variables = ["PARLEY_DATA": folder.path + "/data", "PARLEY_SERVER": server, "SWIFT_BACKTRACE": "enable=no"]
        process = try ChildProcess(path, [], environment: variables.merging(environment) { $1 }, log: folder.path + "/bot.log")
        self.folder = folder
    }

    /// The link that the program prints below a line.
    func link(below line: String) async throws -> String {
        _ = try await process.output.first(line, within: .seconds(60)) { $0 == line ? true : nil }
        return try await process.output.first("the link", within: .seconds(60)) { $0.hasPrefix("https://") || $0.hasPrefix("simplex:") ? $0 : nil }
    }

    func stop() async { await process.stop() }
}

extension Party {
    /// Waits until a text has come, in whichever chat.
    @discardableResult
    func hear(_ part: String) async throws -> String {
        try await event("newChatItems") { event in
            event["chatItems"]?.arrayValue?.lazy.compactMap { $0["chatItem"] }.first { $0.isReceived && $0.itemText?.contains(part) == true }?.itemText
        }
    }

    /// Writes into a chat: `@1`, `#1`, `#1(_support)`.
    func say(_ text: String, in chat: String, quoting quoted: Int64? = nil) async throws {
        var message: JSONObject = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
        if let quoted { message["quotedItemId"] = .int(quoted) }
        try await send("/_send \(chat) json \(JSONValue.array([.object(message)]).text)")
    }
}
