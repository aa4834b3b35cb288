import ChatAPI
import Testing

@testable import ChatModel

@Suite struct ChangeLimitTests {
    @Test("more changes than a reader can be told become one: everything")
    func limit() async {
        let subscription = ChatModelChangeSubscription(limit: 3)
        for id: Int64 in 1...3 { subscription.add([.chat(1, .direct(ContactID(id)))]) }
        subscription.add([.chat(1, .direct(2))])
        #expect(await subscription.next()?.count == 3)
        for id: Int64 in 1...100 { subscription.add([.chatRemoved(1, .direct(ContactID(id)))]) }
        #expect(await subscription.next() == [.everything])
        subscription.add([.running])
        #expect(await subscription.next() == [.running])
    }
}
