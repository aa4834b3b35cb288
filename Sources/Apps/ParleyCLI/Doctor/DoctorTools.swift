internal import AsyncPrimitives
internal import Dispatch
internal import Foundation
internal import Hosting
internal import NIOCore
internal import SMPTransport
internal import SystemSupport

/// The calls of `parley doctor` to the system. Each has a time limit.
enum DoctorTools {
    /// Returns the result of `body`; nil if it takes longer than the limit. `body` is cancelled then.
    static func within<Result: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () async -> Result) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// Looks a name up.
    ///
    /// - Returns: nil if the lookup took too long. Its thread ends with the process or the lookup.
    static func lookUp(_ name: String, limit: Duration) async -> [IPAddress]? {
        let found = Promise<[IPAddress]?>()
        DispatchQueue.global().async { found.resolve(IPAddress.lookUp(name)) }
        let timer = Task {
            try? await Task.sleep(for: limit)
            found.resolve(nil)
        }
        defer { timer.cancel() }
        return await found.value()
    }

    /// Connects by TCP and closes the connection.
    ///
    /// - Returns: the reason why that is impossible; nil for success.
    static func connectionFailure(to host: String, _ port: Int, limit: Duration) async -> String? {
        do throws(ConnectionError) {
            let channel = try await TCPConnector().connect(host: host, port: port, TimeAmount(limit)) { _ in }
            channel.close(promise: nil)
            return nil
        } catch {
            return ConnectionReason.text(error)
        }
    }

    /// Runs a program without input and reads what it prints, up to 64 KiB.
    ///
    /// - Returns: nil if it does not exist, fails or takes too long.
    static func output(of program: String, _ arguments: [String], limit: Duration) async -> String? {
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        let ended = Promise<Bool>()
        process.terminationHandler = { ended.resolve($0.terminationStatus == 0) }
        guard (try? process.run()) != nil else { return nil }
        let read = Promise<[UInt8]?>(), output = pipe.fileHandleForReading
        // The handle closes its file when nobody has it any more.
        DispatchQueue.global().async { read.resolve(try? WholeFile.contents(of: output.fileDescriptor, upTo: 65_536)) }
        let timer = Task {
            try? await Task.sleep(for: limit)
            read.resolve(nil)
            ended.resolve(false)
        }
        defer { timer.cancel() }
        let bytes = await read.value(), isDone = await ended.value()
        if process.isRunning { process.terminate() }
        guard isDone, let bytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a file of the system, which has no size; empty if it cannot be read.
    static func text(ofFile path: String) -> String { String(decoding: (try? WholeFile.contents(ofFile: path, upTo: 4 << 20)) ?? [], as: UTF8.self) }

    /// The addresses of the interfaces of this machine.
    static func ownAddresses() -> Set<IPAddress> {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address.flatMap(IPAddress.init) })
    }

    /// Checks whether a process has one of these sockets open; nil if that cannot be seen.
    static func process(_ id: Int, hasSocketAmong inodes: [Int]) -> Bool? {
        let folder = "/proc/\(id)/fd"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        let wanted = Set(inodes.map { "socket:[\($0)]" })
        return names.contains { name in (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)).map(wanted.contains) ?? false }
    }
}
