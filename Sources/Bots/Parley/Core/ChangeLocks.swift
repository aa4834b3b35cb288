internal import AsyncPrimitives
internal import ChatAPI

/// The locks of what takes more than one command to change: who reads it first, and then writes what has changed, must not undo what others change meanwhile.
///
/// Handlers hold them, and whoever keeps groups and channels as they are declared.
struct ChangeLocks: Sendable {
    /// Held while the profile or the link of a group is changed.
    let groups = KeyedLock<GroupID>()
    /// Held while the relays of a profile are changed.
    let relays = KeyedLock<UserID>()
}
