import ChatAPI
import ChatProtocol
import SMPCrypto
import SMPWire

/// What chat clients send each other, and what people and programs give to a core.
extension FuzzTarget {
    static let chatMessage = FuzzTarget("chat-message", maximumLength: 16_384) {
        try Seeds.texts("chat_messages") + Seeds.bytes("chat_messages")
    } run: { input throws(FuzzFault) in
        for result in ReceivedChatMessage.parse(input) {
            guard let received = try? result.get() else { continue }
            let body = received.message.body
            let again = ReceivedChatMessage.parse(body)
            // Pieces of files are written without an id of their own.
            try FuzzFault.unless(
                again.count == 1 && (try? again[0].get().message.body) == body,
                "\(received.message) is written as \(FuzzFault.hex(body)) and read as \(again)")
        }
    }

    static let compressed = FuzzTarget("compressed", maximumLength: 16_384) {
        try Seeds.bytes("chat_messages") + (Seeds.texts("chat_messages").prefix(40).map { try MessageCompression.compress($0) })
    } run: { input throws(FuzzFault) in
        guard let parts = try? MessageCompression.decompress(input) else { return }
        let total = parts.reduce(0) { $0 + ((try? $1.get().count) ?? 0) }
        try FuzzFault.unless(total <= ChatLimits.decompressedMessage, "\(total) bytes were decompressed")
    }

    static let roster = FuzzTarget("roster", maximumLength: 2_048) {
        let key = try Ed25519.PublicKey(raw: Bytes(repeating: 7, count: 32))
        let members = [GroupMemberRole.member, .moderator, .admin].enumerated().map { index, role in
            RosterMember(memberID: MemberID(Bytes(repeating: UInt8(index), count: 12)), key: key, role: role)
        }
        return (0...members.count).map { RosterList(Array(members.prefix($0))).wireBytes }
    } run: { input throws(FuzzFault) in
        guard let list = try? RosterList(wireBytes: input) else { return }
        try FuzzFault.unless(list.members.count <= ChatLimits.rosterMembers, "\(list.members.count) members were read")
        try FuzzFault.unlessWrittenAgain(list)
    }

    static let json = FuzzTarget("json") {
        try Seeds.texts("chat_messages")
    } run: { input throws(FuzzFault) in
        guard let value = try? JSONValue(parsing: input) else { return }
        let text = value.text
        try FuzzFault.unless((try? JSONValue(parsing: text)) == value, "\(text) is read as another value")
    }

    static let markdown = FuzzTarget("markdown", maximumLength: 16_384) {
        try Seeds.texts("markdown")
    } run: { input throws(FuzzFault) in
        guard let text = String(validating: input, as: UTF8.self) else { return }
        if let pieces = Markdown.parse(text) { try unlessReadAgain(pieces) }
    }

    static let commandLine = FuzzTarget("command-line") {
        try Seeds.conversations()
    } run: { input throws(FuzzFault) in
        guard let text = String(validating: input, as: UTF8.self), let command = try? ChatCommand(parsing: text) else { return }
        let written = command.commandString
        // White space at the ends of names and texts does not survive being written on one line.
        guard !input.contains(where: { $0 < 32 }) else { return }
        try FuzzFault.unless(
            (try? ChatCommand(parsing: written)) == command, "\(command) is written as \(written), which is read as another")
    }
}
