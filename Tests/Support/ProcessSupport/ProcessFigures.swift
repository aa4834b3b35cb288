import Foundation

/// What the kernel counts of a running process.
package enum ProcessFigures {
    /// Processor time used so far by the process and the children that it has waited for; nil if there is no such process.
    package static func processorTime(of id: Int32) -> Duration? {
        // The name, in parentheses, may itself hold spaces and parentheses.
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8), let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return .seconds((user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Resident memory in bytes; nil if there is no such process.
    package static func residentMemory(of id: Int32) -> Int? { memory("VmRSS", of: id) }

    /// Resident memory in bytes that is not of files, so not shared with other processes; nil if there is no such process.
    package static func privateMemory(of id: Int32) -> Int? { memory("RssAnon", of: id) }

    /// The most resident memory that the process has had so far, in bytes; nil if there is no such process.
    package static func peakMemory(of id: Int32) -> Int? { memory("VmHWM", of: id) }

    /// Bytes that the process has read so far, from files and connections; nil if there is no such process.
    package static func bytesRead(of id: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/io", encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("rchar:") }.flatMap { Int($0.filter(\.isNumber)) }
    }

    private static func memory(_ name: String, of id: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return nil }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }) else { return nil }
        return Int(line.filter(\.isNumber)).map { $0 * 1024 }
    }
}
