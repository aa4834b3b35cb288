import ChatAPI
import ChatProtocol
import Testing

/// Errors as people read them.
@Suite struct ErrorMessageTests {
    @Test("an error that people meet says what is wrong and not only its code")
    func sentences() {
        let errors: [ChatError] = [
            .chat(error: .groupMemberNotFound), .chat(error: .invalidChatItemDelete), .chat(error: .fileNotFound(message: "/a/b")),
            .chat(error: .fileSize(filePath: "/a/b")), .chat(error: .commandError(message: "no such entry")), .store(error: .groupNotFound(groupID: 3)),
            .store(error: .chatItemNotFound(itemID: 3)), .store(error: .invalidQuote), .store(error: .duplicateName),
            .chat(error: .fileNotApproved(fileID: 1, unknownServers: ["a.example", "b.example"])),
        ]
        for error in errors {
            #expect(!error.message.contains(error.code) && error.message.contains(" "), "\(error.code)")
            #expect(error.message.first?.isUppercase == true || error.message.hasPrefix("/"), "\(error.code)")
        }
        #expect(errors.last?.message.contains("a.example, b.example") == true)
    }

    @Test("an error that only programs meet shows its code")
    func code() {
        #expect(ChatError.store(error: .invalidMemberRelationUpdate).message == "The core reported errorStore.invalidMemberRelationUpdate.")
        #expect(ChatError.chat(error: .agentVersion).message == "The core reported error.agentVersion.")
    }
}
