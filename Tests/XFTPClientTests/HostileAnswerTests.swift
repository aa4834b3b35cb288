import NIOCore
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

/// Answers of a router that are not those to the command.
@Suite struct HostileAnswerTests {
    private typealias Request = ScriptedFileRouter.Request

    private static let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 1)).privateKey)
    private static let id = EntityID(Bytes(repeating: 7, count: 24))

    /// The error of an `FADD` for one recipient that is answered with a block.
    private static func outcome(_ block: @escaping @Sendable (Request) throws -> Bytes) async throws -> (error: XFTPClientError?, isOpen: Bool) {
        var outcome: (XFTPClientError?, Bool) = (nil, false)
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try block(request), isEnd: true)
        } _: { session in
            outcome.0 = await clientError { _ = try await session.add(recipients: [key.publicKey], to: id, key: key) }
            outcome.1 = session.isOpen
        }
        return outcome
    }

    /// A transmission of a router as version 3 has it: no authorisation, the session, the ids, and a text.
    private static func transmission(_ request: Request, _ text: String) -> Bytes {
        [0] + ShortBytes(request.context.sessionID).wireBytes + request.correlationID.wireBytes + request.entity.wireBytes + Bytes(text.utf8)
    }

    /// An answer and the error that it gives.
    struct Case: Sendable, CustomStringConvertible {
        let description: String
        let code: XFTPClientError.Code
        let block: @Sendable (ScriptedFileRouter.Request) throws -> Bytes

        init(_ description: String, _ code: XFTPClientError.Code, _ block: @escaping @Sendable (ScriptedFileRouter.Request) throws -> Bytes) {
            (self.description, self.code, self.block) = (description, code, block)
        }
    }

    static let cases: [Case] = [
        Case("no id", .response(.command(.syntax))) { try $0.block(transmissions: [transmission($0, "RIDS \u{0}")]) },
        Case("an id too many", .unexpectedResponse("RIDS")) { try $0.block(.recipientIDs([id, id])) },
        Case("of another command", .unexpectedResponse("OK")) { try $0.block(.ok) },
        Case("of the same fields", .unexpectedResponse("SIDS")) { try $0.block(.senderIDs(id, recipients: [id]), entity: EntityID.none) },
        Case("to another command", .response(.session)) { try $0.block(.recipientIDs([id]), correlationID: CorrelationID(Bytes(repeating: 1, count: 24))) },
        Case("to none", .response(.session)) { try $0.block(.recipientIDs([id]), correlationID: CorrelationID.none) },
        Case("in another session", .response(.session)) {
            var other = $0.context
            other.sessionID[0] ^= 1
            return try $0.block(.recipientIDs([id]), in: other)
        },
        Case("an error to another command", .protocol(.auth)) { try $0.block(.error(.auth), correlationID: CorrelationID.none) },
        Case("two answers", .response(.block)) {
            let answer = transmission($0, "RIDS \u{1}\u{1}a")
            return try $0.block(transmissions: [answer, answer])
        },
        Case("no answer in the block", .response(.block)) { try $0.block(transmissions: []) },
        Case("no answer at all", .response(.block)) { _ in [] },
        Case("a block that is cut off", .response(.block)) { Bytes(try $0.block(.recipientIDs([id])).dropLast()) },
        Case("a block of a length that cannot be", .response(.block)) { _ in Bytes(repeating: 0xFF, count: XFTPLimits.blockSize) },
        Case("an unknown word", .response(.command(.unknown))) { try $0.block(transmissions: [transmission($0, "YES")]) },
        Case("more behind the answer", .response(.command(.syntax))) { try $0.block(transmissions: [transmission($0, "RIDS \u{1}\u{1}a ")]) },
        Case("an unknown error", .response(.command(.syntax))) { try $0.block(transmissions: [transmission($0, "ERR NEVER")]) },
        Case("an answer about nothing", .response(.command(.noEntity))) { try $0.block(.recipientIDs([id]), entity: EntityID.none) },
        Case("a refusal", .protocol(.quota)) { try $0.block(.error(.quota)) },
    ]

    @Test(arguments: cases) func anAnswerThatIsNotTheOneToTheCommandIsToldByItsKind(_ item: Case) async throws {
        let outcome = try await Self.outcome(item.block)
        #expect(outcome.error?.code == item.code)
        #expect(outcome.error?.isTemporary == false)
    }

    @Test func anAnswerOfTheRightKindIsTaken() async throws {
        let outcome = try await Self.outcome { try $0.block(.recipientIDs([Self.id])) }
        #expect(outcome.error == nil && outcome.isOpen)
    }

    @Test func whatIsPassedOverBehindABlockDoesNotHarmTheNextCommand() async throws {
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try request.block(.pong, entity: EntityID.none), isEnd: false)
            try await outbound.send(Bytes(repeating: 1, count: 50_000), isEnd: true)
        } _: { session in
            for _ in 0..<3 { try await session.ping() }
        }
    }

    @Test func aPingIsAnsweredByAPongOnly() async throws {
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try request.block(.ok, entity: Self.id), isEnd: true)
        } _: { session in
            let error = await clientError { try await session.ping() }
            #expect(error?.code == .unexpectedResponse("OK"))
        }
    }

    @Test(arguments: [0, 2]) func aNewChunkHasAnIdForEachRecipientOrNone(_ count: Int) async throws {
        try await withScriptedRouter { request, _, outbound in
            let answer = Self.transmission(request, "SIDS \u{1}s") + [UInt8(count)] + (0..<count).flatMap { _ in [1, 97] as Bytes }
            try await outbound.send(try request.block(transmissions: [answer]), isEnd: true)
        } _: { session in
            let error = await clientError {
                _ = try await session.create(key: Self.key, size: 65_536, digest: [], recipients: [Self.key.publicKey])
            }
            #expect(error?.code == (count == 0 ? .response(.command(.syntax)) : .unexpectedResponse("SIDS")))
        }
    }

    @Test(arguments: [(0, false), (1, true), (XFTPLimits.recipientsPerCommand, true), (XFTPLimits.recipientsPerCommand + 1, false)])
    func aCommandNamesAsManyRecipientsAsFit(_ count: Int, _ isSent: Bool) async throws {
        let recipients = [PublicAuthKey](repeating: Self.key.publicKey, count: count)
        try await withScriptedRouter { request, _, outbound in
            let ids = [RecipientID](repeating: Self.id, count: count)
            let isNew = if case .new = request.command { true } else { false }
            try await outbound.send(
                try request.block(isNew ? .senderIDs(Self.id, recipients: ids) : .recipientIDs(ids)), isEnd: true)
        } _: { session in
            let added = await clientError { _ = try await session.add(recipients: recipients, to: Self.id, key: Self.key) }
            let made = await clientError { _ = try await session.create(key: Self.key, size: 65_536, digest: [], recipients: recipients) }
            #expect(added?.code == (isSent ? nil : .invalidRequest) && made?.code == (isSent ? nil : .invalidRequest))
        }
    }

    @Test(arguments: [true, false]) func aConnectionThatEndsBeforeTheAnswerMayHaveCarriedTheCommandOut(_ isWithin: Bool) async throws {
        let router = try await ScriptedFileRouter.start { request, _, outbound in
            if isWithin { try await outbound.send(Bytes(try request.block(.ok).prefix(100)), isEnd: false) }
            throw CancellationError()
        }
        let session = try await XFTPConnector().connect(try router.address())
        let error = await clientError { try await session.delete(Self.id, key: Self.key) }
        guard case .network = error?.code else {
            Issue.record("\(String(describing: error))")
            return await router.stop()
        }
        #expect(error?.isTemporary == true && error?.endsSession == true)
        await session.close()
        await router.stop()
    }
}
