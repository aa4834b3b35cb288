/// A core that carries out a command once, however often it is asked under one key.
///
/// Whoever must not lose a command and must not carry it out twice names it with a key of its own making and asks again after a
/// crash. The core remembers keys together with what the command did, in the same transaction.
public protocol IdempotentChatCore: ChatCore {
    /// Carries out a command unless one was carried out under the key before; then answers with what came of that one, as it
    /// is now.
    ///
    /// - Parameters:
    ///   - key: At most 200 bytes; unique among the commands of the profile. A key is forgotten with the item that the command
    ///     made.
    func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse
}
