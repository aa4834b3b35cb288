public import Foundation

/// A `parley` that runs as a process of its own: what a person starts, and what a power cut ends.
public final class ParleyProcess: Sendable {
    /// The program: the one that the environment variable `PARLEY_EXECUTABLE` names, or the one in the folder of the test bundle.
    public static var executable: URL {
        if let path = ProcessInfo.processInfo.environment["PARLEY_EXECUTABLE"], !path.isEmpty { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("parley")
    }

    public let processIdentifier: Int32
    private let output = ProcessOutput()
    private let input: FileHandle

    /// Starts `parley`.
    ///
    /// - Parameters:
    ///   - environment: Variables beside those of this process.
    ///   - folder: The folder that the process works in.
    ///   - log: A file that gets what the process says on standard error, behind what is in it.
    public init(_ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, log: String) throws {
        let executable = Self.executable
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw ProcessFault("\(executable.path) is not there: build the product parley first")
        }
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ProcessFault("\(log) cannot be written: errno \(errno)") }
        let errors = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Self.starting.lock()
        defer { Self.starting.unlock() }
        let printed = Self.pipe(), typed = Self.pipe(), process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        process.standardOutput = printed
        process.standardError = errors
        process.standardInput = typed
        let output = output
        process.terminationHandler = { process in
            output.ended(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
        }
        try process.run()
        let reading = printed.fileHandleForReading
        Thread.detachNewThread {
            // A thread of its own, because a readability handler is not always told of the end.
            while true {
                let data = reading.availableData
                if data.isEmpty { return output.closed() }
                output.take([UInt8](data))
            }
        }
        try errors.close()
        processIdentifier = process.processIdentifier
        input = typed.fileHandleForWriting
    }

    /// Held while a process is started.
    private static let starting = NSLock()

    /// A pipe whose ends go only to the process that it is for. One that inherited another's would keep it open as long as it lives.
    private static func pipe() -> Pipe {
        let pipe = Pipe()
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        return pipe
    }

    /// What the process has printed on standard output so far, line by line.
    public var lines: [String] { output.lines }

    /// All that the process prints on standard output until it ends.
    public func output() async -> String {
        await output.waitUntilClosed()
        return output.lines.map { $0 + "\n" }.joined()
    }

    /// Waits for a line on standard output.
    ///
    /// - Throws: ``ProcessFault`` if the process ends or the time runs out first.
    @discardableResult
    public func line(within limit: Duration = .seconds(30), where isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await output.line(within: limit, where: isWanted)
    }

    /// Waits for the JSON line that says that what was started can be used.
    public func ready(within limit: Duration = .seconds(30)) async throws -> ReadyLine {
        let line = try await line(within: limit) { $0.hasPrefix(#"{"event":"ready""#) }
        return try JSONDecoder().decode(ReadyLine.self, from: Data(line.utf8))
    }

    /// Types a line.
    public func type(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends what is typed, as Ctrl-D does.
    public func endInput() throws { try input.close() }

    /// Ends the process at once, wherever it is: SIGKILL.
    public func kill() { signal(SIGKILL) }

    /// Asks the process to stop: SIGTERM.
    public func terminate() { signal(SIGTERM) }

    public func signal(_ number: Int32) {
        guard !output.hasEnded else { return }
        _ = Foundation.kill(processIdentifier, number)
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: Its exit code; 128 and the signal's number if a signal ended it.
    @discardableResult
    public func exit(within limit: Duration = .seconds(30)) async throws -> Int32 { try await output.exit(within: limit) }

    deinit { kill() }
}

/// What `parley run` and `parley server smp` say with `--json` when they can be used.
public struct ReadyLine: Decodable, Sendable {
    public struct Profile: Decodable, Sendable {
        public let name: String
        public let address: String?
        public let shortAddress: String?
    }

    /// The address of a router.
    public let address: String?
    /// The profiles of bots.
    public let profiles: [Profile]?
    /// The routers that bots use.
    public let servers: [String]?
}
