import Foundation

/// A program that a benchmark started.
final class ChildProcess: @unchecked Sendable {
    private let process: Process
    private let output: Pipe

    static func start(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return ChildProcess(process, output)
    }

    private init(_ process: Process, _ output: Pipe) {
        self.process = process
        self.output = output
    }

    var id: Int32 { process.processIdentifier }

    /// Lines that the program prints.
    func lines() -> AsyncStream<String> {
        let handle = output.fileHandleForReading
        return AsyncStream { continuation in
            let thread = Thread {
                var rest = Data()
                while case let data = handle.availableData, !data.isEmpty {
                    rest.append(data)
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[rest.index(after: end)...])
                    }
                }
                continuation.finish()
            }
            thread.start()
        }
    }

    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func terminate() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Processor time used so far, in seconds: the process and the children that it has waited for.
    var processorTime: Double { ProcessFigures.processorTime(of: id) }
    /// Memory in use, in megabytes.
    var memory: Double { ProcessFigures.memory(of: id) }
}

/// What the kernel counts of a process.
enum ProcessFigures {
    static func processorTime(of id: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8), let end = text.lastIndex(of: ")") else { return 0 }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func memory(of id: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            return (Double(line.filter(\.isNumber)) ?? 0) / 1024
        }
        return 0
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
