import Foundation
import Synchronization
import TestSupport

/// A program that runs as a child of this process and does not outlive it.
package final class ChildProcess: Sendable {
    /// The program's file name.
    package let name: String
    /// What it prints on standard output, line by line. Nothing if that goes to a file.
    package let output: Mailbox<String>
    private let process: WaitedProcess
    private let log: String?
    private let ending: Mailbox<Int32>
    private let guardian: Guardian
    /// Where it reads what is typed; nil when that has ended.
    private let typing: Mutex<FileHandle?>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: variables that are added to those of this process.
    ///   - folder: the folder that it works in; nil is that of this process.
    ///   - input: all that it reads on standard input: short, less than a pipe holds. Nil if lines are typed later with ``type(_:)``.
    ///   - log: the file to which its standard error is appended, and its standard output unless `readsOutput`.
    ///   - readsOutput: whether its lines come into ``output``.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, input: String? = "",
        log: String? = nil, readsOutput: Bool = true
    ) throws(PeerError) {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let output = Mailbox<String>(label: { $0 })
        let ending = Mailbox<Int32>(label: { "status \($0)" })
        let (typed, typing) = try Spawn.pipe()
        let (printing, printed) = try Spawn.pipe()
        let file = if let log { try Self.appending(to: log) } else { FileHandle.nullDevice }
        if let input {
            // Written before there is a reader that could go away.
            try Self.write(input, to: typing, of: name)
            try? typing.close()
        }
        let variables = ProcessInfo.processInfo.environment.merging(["LANG": "C.UTF-8"]) { $1 }.merging(environment) { $1 }
        let files = [typed, readsOutput ? printed : file, file].map(\.fileDescriptor)
        let id = try Spawn.start(path, arguments, environment: variables, in: folder, files: files, closing: [typed, printed])
        process = WaitedProcess(id) { status in
            ending.put(status)
            if !readsOutput { output.finish(PeerError(.ended, "\(name) has ended")) }
        }
        do throws(PeerError) {
            guardian = try Guardian(of: process.id)
        } catch {
            process.send(.kill)
            throw error
        }
        (self.name, self.output, self.ending, self.log) = (name, output, ending, log)
        self.typing = Mutex(input == nil ? typing : nil)
        if readsOutput { Self.read(printing, into: output, of: name) }
    }

    deinit {
        kill()
        guardian.dismiss()
    }

    package var id: Int32 { process.id }
    package var isRunning: Bool { process.isRunning }

    /// Types a line.
    package func type(_ line: String) throws(PeerError) {
        guard let typing = typing.withLock({ $0 }) else { throw PeerError(.ended, "\(name) has been given all its input") }
        try Self.write(line + "\n", to: typing, of: name)
    }

    /// Ends what is typed, as Ctrl-D does.
    package func endInput() {
        typing.withLock { typing in
            try? typing?.close()
            typing = nil
        }
    }

    /// Ends it at once.
    package func kill() { send(.kill) }

    /// Sends it a signal, if it runs.
    package func send(_ signal: ProcessSignal) { process.send(signal) }

    /// Asks it to end, and ends it when it does not in time.
    ///
    /// - Returns: its exit status; 128 and the number of the signal if one ended it.
    @discardableResult
    package func stop(_ signal: ProcessSignal = .terminate, within limit: Duration = .seconds(15)) async -> Int32 {
        send(signal)
        if let status = try? await exit(within: limit) { return status }
        kill()
        return (try? await exit(within: .seconds(10))) ?? ProcessSignal.kill.exitStatus
    }

    /// Waits until it has ended.
    ///
    /// - Returns: its exit status; 128 and the number of the signal if one ended it.
    @discardableResult
    package func exit(within limit: Duration = Patience.limit) async throws(PeerError) -> Int32 {
        let status = try await ending.peek("the end of \(name)", within: limit) { $0 }
        guardian.dismiss()
        return status
    }

    /// Waits until it has printed everything.
    ///
    /// - Returns: the lines that nobody took from ``output``.
    package func restOfOutput() async -> [String] { await output.stream().reduce(into: []) { $0.append($1) } }

    /// The end of what it wrote into its log.
    package func logTail(_ count: Int = 15) -> String {
        guard let log, let text = try? String(contentsOfFile: log, encoding: .utf8) else { return "" }
        return text.split(separator: "\n").suffix(count).joined(separator: "\n")
    }

    private static func write(_ text: String, to handle: FileHandle, of name: String) throws(PeerError) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw PeerError(.launch, "\(name) cannot be given its input", cause: error)
        }
    }

    private static func appending(to path: String) throws(PeerError) -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PeerError(.launch, "\(path) cannot be written: \(String(cString: strerror(errno)))") }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func read(_ handle: FileHandle, into output: Mailbox<String>, of name: String) {
        // A thread of its own, because reading blocks.
        Thread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    output.put(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            if !rest.isEmpty { output.put(String(decoding: rest, as: UTF8.self)) }
            output.finish(PeerError(.ended, "\(name) has ended"))
        }.start()
    }
}
