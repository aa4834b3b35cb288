internal import ChatProtocol
internal import Foundation
internal import Logging
internal import ParleyRules
internal import Synchronization
internal import UnixSignals

/// Replaces the rules of running bots when their file changes, and on SIGHUP. A file with errors leaves the last good rules in force, and says so.
struct RuleReloader: Sendable {
    let file: String
    let rules: RunningRules
    let logger: Logger
    let json: Bool

    /// The pause between two looks at the file.
    private static let pause = Duration.seconds(1)

    /// Runs until the task is cancelled.
    ///
    /// - Parameter hangUps: the SIGHUPs that the process gets.
    /// - Parameter first: the file as the bots were started with it.
    func run(_ hangUps: UnixSignalsSequence, from first: BotsFile) async {
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
        var seen = Self.stamps(of: paths), pending: [String]?
        while (try? await Task.sleep(for: Self.pause)) != nil {
            let now = Self.stamps(of: paths)
            // An editor may still be writing: a change counts once the file has stayed the same for a moment.
            let isSettled = now != seen && pending == now
            pending = now
            guard isAsked.take() || isSettled else { continue }
            seen = now
            if let lists = reload() { paths = [file] + lists }
            seen = Self.stamps(of: paths)
        }
    }

    /// - Returns: the files of the lists; nil if the file was refused.
    private func reload() -> [String]? {
        do {
            let description = try BotsFile(contentsOf: file)
            let waiting = try rules.replace(with: description)
            logger.notice("rules replaced", metadata: ["code": "rules.replaced", "file": "\(file)", "waiting": "\(waiting.joined(separator: ", "))"])
            if json {
                Output.line(["event": "rules", "result": "replaced", "waiting": .array(waiting.map { .string($0) })])
            } else {
                Output.line("\(file): the rules were replaced." + (waiting.isEmpty ? "" : " Another start is needed for: \(waiting.joined(separator: ", "))."))
            }
            if !description.warnings.diagnostics.isEmpty { Output.warning(description.warnings.description) }
            return description.listFiles
        } catch {
            logger.error("the changed file is refused: the rules before stay in force", metadata: ["code": "rules.refused", "file": "\(file)"])
            Output.warning("\(error)\n\(file) is refused: THE RULES BEFORE STAY IN FORCE.")
            if json { Output.line(["event": "rules", "result": "refused", "errors": .int((error as? BotsFileError)?.diagnostics.count ?? 1)]) }
            return nil
        }
    }

    /// The stamps of files: a file with another stamp than before was changed.
    private static func stamps(of paths: [String]) -> [String] {
        paths.map { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
            let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
            return "\(path) \(date ?? 0) \(attributes?[.size] as? Int ?? -1) \(attributes?[.systemFileNumber] as? Int ?? -1)"
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
