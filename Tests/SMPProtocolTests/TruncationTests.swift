import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

/// What is left of a command or an answer that was cut off, or has more behind it, is never taken for another.
@Suite struct TruncationTests {
    /// Words whose last field takes all that is left: a part of it is as good as the whole.
    private static let openEnded: Set<String> = ["SEND", "PFWD", "RFWD", "MSG", "RRES", "PRES"]
    /// Words that begin with another word of one letter less.
    private static let shorterWords = ["SUBS": "SUB", "NSUBS": "NSUB", "ENDS": "END"]

    private func name(_ item: VectorCase) -> String { String(item.name.prefix { $0 != " " }) }

    /// The part of an encoding that cannot be missing.
    private func closedLength(_ bytes: Bytes, _ name: String, read: (Bytes) -> Bool) -> Int {
        guard Self.openEnded.contains(name) else { return bytes.count }
        return bytes.indices.first { read(Bytes(bytes.prefix($0))) } ?? bytes.count
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "command"))
    func aCommandThatIsCutOffIsRefused(_ item: VectorCase) throws {
        let name = name(item)
        for (versions, bytes) in try encodings(item) {
            for version in [versions.lowerBound, versions.upperBound] {
                let isRead = { (part: Bytes) in (try? SMPCommand(parsing: part, version: version)) != nil }
                let end = closedLength(bytes, name, read: isRead)
                for count in 0..<end {
                    let part = Bytes(bytes.prefix(count))
                    if let shorter = Self.shorterWords[name], part == Bytes(shorter.utf8) { continue }
                    let error = #expect(throws: SMPErrorType.self) { try SMPCommand(parsing: part, version: version) }
                    #expect(error == .command(count < name.utf8.count ? .unknown : .syntax), "\(count) bytes, version \(version)")
                }
                // Behind an open end every length is one: the body is what there is.
                for count in end..<bytes.count { #expect(isRead(Bytes(bytes.prefix(count)))) }
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "command", "response"))
    func whatHasMoreBehindItIsRefused(_ item: VectorCase) throws {
        let name = name(item)
        for (versions, bytes) in try encodings(item) where !Self.openEnded.contains(name) {
            let version = versions.upperBound
            for tail: Bytes in [[0], [0x20], [0x30], Bytes(" x".utf8), bytes] {
                // Free text and JSON of an error or a state end where the transmission does.
                if item.kind == "response", name == "ERR" || name == "INFO" { continue }
                if item.kind == "command" {
                    #expect(throws: SMPErrorType.self) { try SMPCommand(parsing: bytes + tail, version: version) }
                } else {
                    #expect(throws: SMPErrorType.self) { try SMPBrokerMessage(parsing: bytes + tail, version: version) }
                }
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response"))
    func anAnswerThatIsCutOffIsRefused(_ item: VectorCase) throws {
        let name = name(item)
        // Errors are words and texts of which some begin with others: they are told apart by what they mean, below.
        guard name != "ERR" else { return }
        for (versions, bytes) in try encodings(item) {
            for version in [versions.lowerBound, versions.upperBound] {
                let isRead = { (part: Bytes) in (try? SMPBrokerMessage(parsing: part, version: version)) != nil }
                let end = closedLength(bytes, name, read: isRead)
                let word = String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)
                for count in 0..<end where Self.shorterWords[word]?.utf8.count != count {
                    let error = #expect(throws: SMPErrorType.self) { try SMPBrokerMessage(parsing: Bytes(bytes.prefix(count)), version: version) }
                    // `SOKS` without its `S` is an answer too, and lacks what that has.
                    let isWord = count >= word.utf8.count || SMPBrokerMessage.Tag(rawValue: String(word.prefix(count))) != nil
                    #expect(error == .command(isWord ? .syntax : .unknown), "\(count) bytes, version \(version)")
                }
                for count in end..<bytes.count { #expect(isRead(Bytes(bytes.prefix(count)))) }
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "transmission"))
    func aTransmissionThatIsCutOffIsAnErrorAndNotAnotherCommand(_ item: VectorCase) throws {
        let context = try item.context()
        let whole = try item.hex("transmission")
        let command = try SMPCommand(parsing: try item.hex("command"), version: context.version)
        for count in 0..<whole.count {
            let block = [1] + LargeBytes(Bytes(whole.prefix(count))).wireBytes
            let received = context.decode(block: block, as: SMPCommand.self)
            #expect(received.count == 1)
            guard case .success(let other) = received[0].message else { continue }
            // A shorter body is a command of the same kind. Whatever it is, the authorisation is not for it.
            #expect(other != command && (other.tag == command.tag || Self.shorterWords[command.tag.rawValue] == other.tag.rawValue), "\(count) bytes")
            #expect(received[0].authorizedData != (try item.hex("signed_data")))
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "batch").prefix(3))
    func aBlockThatIsCutOffOrHasMoreInItIsOneError(_ item: VectorCase) throws {
        let context = TransmissionContext(version: 18, sessionID: [])
        let transmissions = try item["transmissions"].list().map { try $0.bytes() }
        let content = try #require(TransmissionBatcher.pack(transmissions).batches.first).content
        #expect(context.decode(block: content, as: SMPCommand.self).count == Int(content[0]))
        for count in stride(from: 0, to: content.count, by: max(1, content.count / 200)) {
            let received = context.decode(block: Bytes(content.prefix(count)), as: SMPCommand.self)
            #expect(received.map(\.message) == [.failure(.block)])
        }
        #expect(context.decode(block: content + [0], as: SMPCommand.self).map(\.message) == [.failure(.block)])
        for count in [0, content[0] - 1, content[0] &+ 1] {
            #expect(context.decode(block: [count] + content.dropFirst(), as: SMPCommand.self).map(\.message) == [.failure(.block)])
        }
    }
}
