#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The service manager that started the process, if there is one: systemd, or another with its protocols.
package struct ServiceManager: Sendable {
    /// A message to the service manager, in the words of `sd_notify(3)`.
    package enum Report: String, Sendable {
        /// Units that depend on the service may start (`Type=notify`).
        case ready = "READY=1"
        /// The service ends cleanly.
        case stopping = "STOPPING=1"
    }

    /// The service manager of this process.
    package static let current = ServiceManager(notifySocket: variable("NOTIFY_SOCKET"), journalStream: variable("JOURNAL_STREAM"))

    private let notifySocket: String?
    private let journalStream: String?

    /// - Parameters:
    ///   - notifySocket: the path of a datagram socket, or the name of an abstract one after `@`; nil to notify nobody.
    ///   - journalStream: device and inode of the stream that the journal reads, as `8:1234`; nil if it reads none.
    package init(notifySocket: String?, journalStream: String?) {
        self.notifySocket = notifySocket
        self.journalStream = journalStream
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value[0] != 0 else { return nil }
        return String(cString: value)
    }

    /// Notifies the service manager, if there is one.
    ///
    /// - Throws: ``ServiceManagerError``: the service manager may then take the service for a hanging one.
    package func tell(_ report: Report) throws(ServiceManagerError) {
        guard let name = notifySocket else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(name.utf8)
        // A path ends with a zero; an abstract name begins with one and has its length instead.
        let isAbstract = path.first == UInt8(ascii: "@")
        guard isAbstract || path.first == UInt8(ascii: "/"), path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw ServiceManagerError(reason: "NOTIFY_SOCKET=\(name) is not the path of a socket")
        }
        if isAbstract { path[0] = 0 } else { path.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let addressLength = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + path.count)

        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_DGRAM | SOCK_CLOEXEC
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw ServiceManagerError(errno: errno, notifySocket: name) }
        defer { close(descriptor) }
        let text = Array(report.rawValue.utf8)
        let sent = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, text, text.count, 0, $0, addressLength) }
        }
        guard sent == text.count else { throw ServiceManagerError(errno: errno, notifySocket: name) }
    }

    /// The priority of a line in the journal, with the numbers of `syslog(3)`.
    package enum Priority: Int, Sendable {
        case critical = 2, error, warning, notice, info, debug
    }

    /// Adds the priority to the beginning of each line, for a journal, which removes it.
    package static func prefixed(_ text: String, _ priority: Priority) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
    }

    /// Checks whether the system's journal reads a descriptor: then a line may begin with its priority (`sd-daemon(3)`).
    package func reads(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard let journalStream, fstat(descriptor, &status) == 0 else { return false }
        return journalStream == "\(status.st_dev):\(status.st_ino)"
    }
}

/// The error when the service manager could not be notified.
package struct ServiceManagerError: Error, Hashable, CustomStringConvertible {
    package let reason: String

    init(reason: String) { self.reason = reason }

    init(errno code: Int32, notifySocket: String) { reason = "NOTIFY_SOCKET=\(notifySocket): \(String(cString: strerror(code)))" }

    package var description: String { "the service manager cannot be notified of the state of the service: \(reason)" }
}
