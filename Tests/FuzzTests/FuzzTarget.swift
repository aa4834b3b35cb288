import SMPWire

/// A function of the product that takes what strangers send, with what must be true whatever they send.
///
/// Crashing, running out of memory and taking long are faults by themselves; `run` throws for those that only a comparison shows.
struct FuzzTarget: Sendable {
    /// As `make fuzz TARGET=` names it, and its corpus.
    let name: String
    /// Inputs to begin with: what was recorded of the official implementation.
    let seeds: @Sendable () throws -> [Bytes]
    /// Bytes that an input has at most.
    let maximumLength: Int
    /// - Throws: ``FuzzFault``.
    let run: @Sendable (Bytes) throws(FuzzFault) -> Void

    init(
        _ name: String, maximumLength: Int = 4_096, seeds: @escaping @Sendable () throws -> [Bytes],
        run: @escaping @Sendable (Bytes) throws(FuzzFault) -> Void
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.seeds = seeds
        self.run = run
    }

    static let all: [FuzzTarget] =
        [.block, .command, .response, .handshake, .envelope, .agentMessage, .ratchetHeader, .ratchetParameters, .ratchetConversation]
        + [.link, .linkData, .routerError, .journal, .chatMessage, .compressed, .json, .markdown, .bots, .ruleMessage, .commandLine, .roster]
        + [.number, .timestamp, .socks, .formats, .incoming, .name]
        + [.fileName, .fileDescription, .fileTransmission, .fileContent]
}

/// What must not be.
struct FuzzFault: Error, CustomStringConvertible, Equatable {
    let description: String

    init(_ description: String) { self.description = description }

    /// - Throws: a fault unless the condition holds.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(FuzzFault) {
        guard condition else { throw FuzzFault(description()) }
    }

    /// What was written is read again as the same.
    static func unlessReadAgain<Value: WireCodable & Equatable>(_ value: Value) throws(FuzzFault) {
        let bytes = value.wireBytes
        do {
            let again = try Value(wireBytes: bytes)
            try unless(again == value, "\(Value.self) is written as \(hex(bytes)) and read as another")
        } catch let error as FuzzFault {
            throw error
        } catch {
            throw FuzzFault("\(Value.self) is written as \(hex(bytes)), which is not read: \(error)")
        }
    }

    /// What was written is read again, and written the same: for values of which an old version cannot say everything.
    static func unlessWrittenAgain<Value: WireCodable>(_ value: Value) throws(FuzzFault) {
        let bytes = value.wireBytes
        do {
            let again = try Value(wireBytes: bytes).wireBytes
            try unless(again == bytes, "\(Value.self) is written as \(hex(bytes)), read, and written as \(hex(again))")
        } catch let error as FuzzFault {
            throw error
        } catch {
            throw FuzzFault("\(Value.self) is written as \(hex(bytes)), which is not read: \(error)")
        }
    }

    /// Text that was written is read again as the same.
    static func unlessReadAgain<Value: StringCodable & Equatable>(text value: Value) throws(FuzzFault) {
        let text = value.wireString
        // Official clients write no brackets around it, so that its end cannot be told from a port.
        guard !hasIPv6(text) else { return }
        do {
            let again = try Value(wireString: text)
            try unless(again == value, "\(Value.self) is written as \(text) and read as another")
        } catch let error as FuzzFault {
            throw error
        } catch {
            throw FuzzFault("\(Value.self) is written as \(text), which is not read: \(error)")
        }
    }

    private static func hasIPv6(_ text: String) -> Bool {
        let digits = Set("0123456789abcdefABCDEF:.")
        return text.replacing("%3A", with: ":").replacing("%5B", with: "[").split { !digits.contains($0) }
            .contains { $0.count { $0 == ":" } > 1 }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension FuzzTarget {
    /// Reads a value that takes up all of the input, and writes it.
    static func check<Value: WireCodable & Equatable>(_: Value.Type, _ bytes: Bytes) throws(FuzzFault) {
        guard let value = try? Value(wireBytes: bytes) else { return }
        try FuzzFault.unlessReadAgain(value)
    }

    static func check<Value: StringCodable & Equatable>(text _: Value.Type, _ bytes: Bytes) throws(FuzzFault) {
        guard let text = String(validating: bytes, as: UTF8.self), let value = try? Value(wireString: text) else { return }
        try FuzzFault.unlessReadAgain(text: value)
    }
}
