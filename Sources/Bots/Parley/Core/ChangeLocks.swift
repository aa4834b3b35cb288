internal import AsyncPrimitives
internal import ChatAPI

/// Locks for changes that take several commands: a task that reads a value and then writes it must not undo changes that others make in between.
///
/// Handlers hold them, and so does the code that keeps groups and channels as they are declared.
struct ChangeLocks: Sendable {
    /// Held while the profile or the link of a group is changed.
    let groups = KeyedLock<GroupID>()
    /// Held while the relays of a profile are changed.
    let relays = KeyedLock<UserID>()
}
