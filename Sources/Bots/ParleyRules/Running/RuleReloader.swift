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
    /// The stamp of the file, taken as soon as it has been read.
    private let firstStamps: [String: String]

    /// - Parameter report: shows the outcome to a person; the log has it already.
    package init(
        file: String, rules: RunningRules, extensions: RuleExtensions = .none, logger: Logger, report: @escaping @Sendable (Outcome) -> Void
    ) {
        (self.file, self.rules, self.extensions, self.logger, self.report) = (file, rules, extensions, logger, report)
        firstStamps = Self.stamps(of: [file])
    }

    /// The pause between two looks at the file.
    private static let pause = Duration.seconds(1)

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

    private func watch(_ isAsked: Flag, from first: BotsFile) async {
        var paths = [file] + first.listFiles
        // The lists are not known before the file is read.
        var seen = firstStamps.merging(Self.stamps(of: first.listFiles)) { stamp, _ in stamp }, pending: [String: String]?
        var contents = Self.contents(of: paths)
        while (try? await Task.sleep(for: Self.pause)) != nil {
            let now = Self.stamps(of: paths)
            // An editor may still be writing: a change counts once the file has stayed the same for a moment.
            let isSettled = now != seen && pending == now
            pending = now
            let isAsked = isAsked.take()
            guard isAsked || isSettled else { continue }
            let current = Self.contents(of: paths)
            // Whoever asks is answered; a file that was only touched is none that has changed.
            if isAsked || current != contents {
                contents = current
                if let lists = reload() {
                    paths = [file] + lists
                    contents = Self.contents(of: paths)
                }
            }
            // The stamps from before the file was read: what has changed since then is another change.
            seen = Self.stamps(of: paths).merging(now) { _, earlier in earlier }.filter { paths.contains($0.key) }
        }
    }

    /// - Returns: the files of the lists; nil if the file was refused.
    private func reload() -> [String]? {
        do {
            let description = try BotsFile(contentsOf: file, extensions: extensions)
            let waiting = try rules.replace(with: description)
            var metadata: Logger.Metadata = ["code": "rules.replaced", "file": "\(file)"]
            if !waiting.isEmpty { metadata["waiting"] = "\(waiting.joined(separator: ", "))" }
            logger.notice("rules replaced", metadata: metadata)
            report(.replaced(description, waiting: waiting))
            return description.listFiles
        } catch {
            logger.error("the changed file is refused: the previous rules stay in force", metadata: ["code": "rules.refused", "file": "\(file)"])
            report(.refused(error))
            return nil
        }
    }

    /// The bytes of files, as far as they are read for rules.
    private static func contents(of paths: [String]) -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in paths {
            guard let handle = FileHandle(forReadingAtPath: path) else { continue }
            contents[path] = try? handle.read(upToCount: BotsFile.maximumSize + 1) ?? Data()
            try? handle.close()
        }
        return contents
    }

    /// The stamps of files: a file with another stamp than before was changed.
    private static func stamps(of paths: [String]) -> [String: String] {
        let stamps = paths.map { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
            return (path, "\(date ?? 0) \(attributes?[.size] as? Int ?? -1) \(attributes?[.systemFileNumber] as? Int ?? -1)")
        }
        return Dictionary(stamps) { stamp, _ in stamp }
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
