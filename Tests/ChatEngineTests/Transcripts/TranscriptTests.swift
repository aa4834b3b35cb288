import Testing

@Suite("What official cores said in recorded conversations, this core says too")
struct TranscriptTests {
    @Test("every answer and every event is the recorded one", arguments: RecordedConversation.all)
    func conversation(_ conversation: RecordedConversation) async throws {
        let runner = try await TranscriptRunner(conversation)
        try await runner.run()
        await runner.close()
        for difference in runner.report { Issue.record("\(difference)") }
        #expect(runner.compared > 40)
    }
}
