import Foundation
import Parley

/// Keeps the files that it is sent, and gives them back. Run it with `swift run FileDropBot`.
///
/// `DROP_LIMIT=20` is the size that a file may have, in MiB. `DROP_ROUTERS=any` takes files from routers of others, which learn this machine's
/// address then: official apps upload to routers of their own operators.
@main struct FileDropBot {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        guard let limit = Int64(environment["DROP_LIMIT"] ?? "20"), (1...1_024).contains(limit) else {
            FileHandle.standardError.write(Data("DROP_LIMIT must be a number of MiB from 1 to 1024.\n".utf8))
            exit(2)
        }
        let sources: FileSources = environment["DROP_ROUTERS"] == "any" ? .any : .own
        await bot(limit: limit, from: sources).run()
    }

    /// - Parameter limit: MiB that a file may have.
    static func bot(limit: Int64, from sources: FileSources) -> Bot {
        Bot("File Drop", bio: "I keep your files", address: .automatic(welcome: "Send me a file. /list shows what I have, /get NUMBER returns it.")) {
            On(.command("list", "What I keep for you")) { message in
                try await message.reply(Shelf(try await message.chat.receivedFiles()).list)
            }
            On(.command("get", "Return a file", parameters: "<number>")) { message in
                let shelf = Shelf(try await message.chat.receivedFiles())
                guard let file = shelf.file(message.arguments) else {
                    try await message.reply("There is no file \(message.arguments). \(shelf.list)")
                    return
                }
                try await message.reply(OutgoingFile(file))
            }
            On(.content(.file, .image, .video, .voice)) { message in
                do {
                    let file = try await message.file(upTo: limit << 20, from: sources)
                    try await message.reply("I keep \(file.name), \(file.size) bytes.")
                } catch let error as BotFileError {
                    try await message.reply("I cannot keep it: \(error.message).")
                }
            }
            On(.anyMessage) { try await $0.send("Send me a file.") }
        }
    }
}

/// A file on a shelf.
protocol ShelvedFile {
    var name: String { get }
    var size: Int64 { get }
}

extension ReceivedFile: ShelvedFile {}

/// The files of one chat.
struct Shelf<File: ShelvedFile> {
    let files: [File]

    init(_ files: [File]) { self.files = files }

    /// One line for each file.
    var list: String {
        guard !files.isEmpty else { return "I keep nothing for you." }
        return files.enumerated().map { "\($0 + 1). \($1.name), \($1.size) bytes" }.joined(separator: "\n")
    }

    /// The file of a number as ``list`` has it.
    func file(_ number: String) -> File? {
        guard let number = Int(number.trimmingCharacters(in: .whitespaces)), files.indices.contains(number - 1) else { return nil }
        return files[number - 1]
    }
}
