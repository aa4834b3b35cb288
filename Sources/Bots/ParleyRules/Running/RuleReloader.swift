internal import Foundation
package import Logging
internal import Synchronization
package import UnixSignals

/// Replaces the rules of running bots when their file changes, and on SIGHUP. A file with errors leaves the last good rules in force, and says so.
package struct RuleReloader: Sendable {
    /// The end of one attempt.
    package enum Outcome: Sendable {
        /// The rules of the file are in force. The parts in `waiting` need another start.
        case replaced(BotsFile, waiting: [String])
        /// The rules before stay in force.
        case refused(any Error)
    }

    private let file: String
    private let rules: RunningRules
    private let extensions: RuleExtensions
    private let logger: Logger
    private let report: @Sendable (Outcome) -> Void
    /// - Parameter report: shows the outcome to a person; the log has it already.
    package init(
        file: String, rules: RunningRules, extensions: RuleExtensions = .none, logger: Logger, report: @escaping @Sendable (Outcome) -> Void
    ) {
        (self.file, self.rules, self.extensions, self.logger, self.report) = (file, rules, extensions, logger, report)
    }

    /// The pause between two looks at the file.
    private static let pause = Duration.seconds(1)
    /// The looks after a file was read at which its content is compared although its stamp is the same.
    private static let closeLooks = 2

    /// Runs until the task is cancelled.
    ///
    /// - Parameters:
    ///   - hangUps: the SIGHUPs that the process gets.
    ///   - first: the file as the bots were started with it.
    package func run(_ hangUps: UnixSignalsSequence, from first: BotsFile) async {
        let isAsked = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in hangUps { isAsked.set() } }
            group.addTask { await watch(isAsked, from: first) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Looks at the files until the task is cancelled.
    ///
    /// It compares them with the state from which the active rules were read: a later change is noticed whenever the watch begins.
    private func watch(_ isAsked: Flag, from first: BotsFile) async {
        var known = first.readings, pending: [String: FileStamp?]?, looks = Self.closeLooks
        while (try? await Task.sleep(for: Self.pause)) != nil {
            let now = known.keys.reduce(into: [String: FileStamp?]()) { $0[$1] = FileStamp(of: $1) }
            // A file can be written twice within one tick of its clock. For a while its content is looked at, too.
            let isChanged = looks > 0 || known.contains { now[$0.key] != $0.value.stamp }
            // An editor may still be writing: a change counts once the file has stayed the same for a moment.
            let isSettled = isChanged && pending == now
            pending = now
            let isAsked = isAsked.take()
            guard isAsked || isSettled else { continue }
            looks = max(0, looks - 1)
            let current = known.keys.reduce(into: [String: FileReading]()) { $0[$1] = FileReading.of($1, upTo: BotsFile.maximumSize) }
            // A person who asks gets an answer. A file that was only touched has not changed.
            guard isAsked || known.contains(where: { !$0.value.hasContent(of: current[$0.key]) }) else {
                known = known.merging(current) { _, new in new }
                continue
            }
            looks = Self.closeLooks
            // A file that is refused is known as it was before it was read: what is written meanwhile is another change.
            known = reload()?.readings ?? known.keys.reduce(into: [:]) { $0[$1] = current[$1] ?? FileReading.missing }
        }
    }

    /// - Returns: the file whose rules are in force; nil if it was refused.
    private func reload() -> BotsFile? {
        do {
            let description = try BotsFile(contentsOf: file, extensions: extensions)
            let waiting = try rules.replace(with: description)
            var metadata: Logger.Metadata = ["code": "rules.replaced", "file": "\(file)"]
            if !waiting.isEmpty { metadata["waiting"] = "\(waiting.joined(separator: ", "))" }
            logger.notice("rules replaced", metadata: metadata)
            report(.replaced(description, waiting: waiting))
            return description
        } catch {
            logger.error("the changed file is refused: the previous rules stay in force", metadata: ["code": "rules.refused", "file": "\(file)"])
            report(.refused(error))
            return nil
        }
    }
}

/// A question that one task asks and another answers.
private final class Flag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    /// True once after each ``set()``.
    func take() -> Bool {
        isSet.withLock { flag in
            defer { flag = false }
            return flag
        }
    }
}
