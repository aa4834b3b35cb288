import ParleyRules
import ParleyTesting
import Testing

/// Rules about those who ask to connect.
@Suite(.timeLimit(.minutes(5))) struct RequestConversationTests {
    @Test func aRequestToConnectIsAnsweredByTheTimeOfTheDay() async throws {
        // The room begins at midnight.
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  door:
                    address: { accept: manual }
                    rules:
                      - { when: { request: true, hours: "12:00-0:00" }, then: { reject: true } }
                      - { when: { request: true, hours: "0:00-12:00" }, then: { accept: true } }
                      - { when: { connected: true }, then: { send: Come in. } }
                """)
        try await withBots(file.makeBots()) { room in
            let ann = try await room.person("Ann")
            try await ann.expect("Come in.")
        }
    }
}
