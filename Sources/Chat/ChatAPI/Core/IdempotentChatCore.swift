/// A core that runs a command once, however often it is asked under one key.
///
/// A caller that must neither lose nor repeat a command gives it a key of its own and asks again after a
/// crash. The core remembers keys together with what the command did, in the same transaction.
public protocol IdempotentChatCore: ChatCore {
    /// Runs a command unless one ran under the key before; then answers with what came of that one, as it
    /// is now.
    ///
    /// - Parameters:
    ///   - key: 1 to 200 bytes; unique among the commands of the profile. Cores remember keys for some weeks.
    /// - Throws: `core.unsupported` for commands that the core could not know again; what the command threw; that an item is not
    ///   found if the command made it and it was deleted since.
    func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse
}
