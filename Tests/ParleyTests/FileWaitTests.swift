import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Waits for files, with a core that tells of them late.
@Suite(.timeLimit(.minutes(5))) struct FileWaitTests {
    /// A core with one message that has a file.
    private final class FileCore: ChatCore {
        private let hub = ChatEventHub(), contact: Contact, statusAfter: ItemFileStatus, status = Mutex(ItemFileStatus.receiveInvitation)
        private let user = ScriptedCore.user(1, Profile(displayName: "me"))

        /// - Parameter status: the state of the file once it is accepted and what was announced is taken.
        init(_ status: ItemFileStatus) throws {
            contact = try ScriptedCore.contact(4, "ann")
            statusAfter = status
        }

        private func item(_ status: ItemFileStatus) -> ItemInChat {
            var item = ScriptedCore.item(7, .receivedMessage(content: .file("")), .directReceived, "")
            item.file = ItemFile(fileID: 3, fileName: "a.txt", fileSize: 5, status: status, fileProtocol: .xftp)
            return ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)
        }

        func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }

        func send(_ command: ChatCommand, as id: UserID?) async throws(ChatCoreError) -> ChatResponse {
            switch command {
            case .chats(.page):
                let shown = item(status.withLock(\.self))
                return .apiChat(user: user, chat: Chat(chatInfo: shown.chatInfo, chatItems: [shown.chatItem]), navigation: nil)
            case .files(.receive):
                // Its description came before it was accepted, and is told of only now.
                hub.publish(
                    .rcvFileDescrReady(
                        user: user, chatItem: item(.receiveInvitation), transfer: ReceivedFileTransfer([:], type: .normal), description: .null))
                status.withLock { $0 = statusAfter }
                hub.publish(.chatItemUpdated(user: user, chatItem: item(statusAfter)))
                return .rcvFileAccepted(user: user, chatItem: item(statusAfter))
            default: throw ChatCoreError(.unsupported, "not a command of this core")
            }
        }
    }

    private func received(_ status: ItemFileStatus) async throws -> ItemFile {
        let core = try FileCore(status)
        let wait = FileWait(core: core, file: 3, item: 7, chat: .direct(4), user: 1) { _ in }
        return try await wait.run(within: .seconds(600)) { _ = try await core.send(.files(.receive(3)), as: 1) }
    }

    @Test func whatIsToldOfTheTimeBeforeAFileWasAcceptedDoesNotEndTheWait() async throws {
        #expect(try await received(.receiveComplete).fileName == "a.txt")
    }

    @Test func aFileThatIsOfferedAgainIsOnRoutersThatTheBotDoesNotUse() async throws {
        let error = await #expect(throws: BotFileError.self) { try await received(.receiveInvitation) }
        #expect(error?.code == .unknownRouter)
    }
}
