import ChatAPI
import Testing

@Suite struct ErrorMessageTests {
    @Test(
        arguments: [
            (.broker(server: "smp://abc@smp.example.org:5223", error: .network(error: .failed)), "errorAgent.BROKER.NETWORK", "smp.example.org:5223"),
            (.broker(server: "smp://abc@smp.example.org", error: .timeout), "errorAgent.BROKER.TIMEOUT", "cannot be reached"),
            (.smp(server: "smp://abc@smp.example.org", error: .auth), "errorAgent.SMP.AUTH", "link is not valid any more"),
            (.broker(server: "smp://abc@smp.example.org", error: .network(error: .unknownCA)), "errorAgent.BROKER.NETWORK", "identity"),
            (.inactive, "errorAgent.INACTIVE", "start it"),
            (.noUser, "errorAgent.NO_USER", "errorAgent.NO_USER"),
        ] as [(MessagingError, String, String)])
    func whatTheAgentReportsIsSaidInWords(_ error: MessagingError, _ code: String, _ expected: String) {
        let reported = ChatCoreError(.agent(error: error, agentConnectionID: "", entity: nil))
        #expect(reported.code.rawValue == code)
        #expect(reported.message.contains(expected), "\(reported.message)")
        #expect(!reported.message.contains("abc"), "the router's fingerprint tells a person nothing")
    }
}
