import AsyncPrimitives
import ChatAPI
import Testing

@testable import ChatModel

@Suite struct EndingHubTests {
    /// Who subscribed between the moments at which the hub looked up its subscriptions and at which it ended waited for ever.
    @Test func aSubscriptionThatIsMadeWhileTheModelEndsEnds() async {
        for _ in 1...100 {
            let hub = ChatModelChangeHub(), isOver = Promise<Void>(), hasBegun = Promise<Void>()
            let made = await withTaskGroup(of: [ChatModelChanges].self) { group in
                group.addTask {
                    var made: [ChatModelChanges] = []
                    repeat {
                        made.append(hub.subscribe())
                        hasBegun.resolve(())
                    } while isOver.current == nil && made.count < 500
                    return made
                }
                group.addTask {
                    await hasBegun.value()
                    hub.finish()
                    isOver.resolve(())
                    return []
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            for changes in made {
                // One that has ended takes nothing any more.
                changes.subscription.add([.running])
                let next = await changes.subscription.next()
                #expect(next == nil)
            }
        }
    }
}
