/// Readings of files and programs of the system, as values.
enum SystemReadings {
    /// Finds the type of the file system that holds a path.
    ///
    /// - Parameter mounts: the content of `/proc/self/mountinfo`.
    /// - Returns: nil if no mount holds the path.
    static func fileSystem(of path: String, in mounts: String) -> String? {
        var best: (point: String, type: String)?
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 1, words.count > 4 else { continue }
            let point = unescaped(words[4])
            let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
            // A later mount at the same place hides the earlier one.
            if isAbove, point.utf8.count >= best?.point.utf8.count ?? 0 { best = (point, String(words[dash + 1])) }
        }
        return best?.type
    }

    /// Replaces the octal codes of spaces and other characters.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = [], rest = text.utf8[...]
        while let byte = rest.first {
            let digits = rest.dropFirst().prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
                bytes.append(code)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Finds the sockets that listen on a TCP port.
    ///
    /// - Parameter table: the content of `/proc/net/tcp` or `/proc/net/tcp6`.
    /// - Returns: the numbers of their inodes.
    static func listeners(on port: UInt16, in table: String) -> [Int] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split(separator: " ")
            // 0A is the state LISTEN.
            guard words.count > 9, words[3] == "0A", let colon = words[1].lastIndex(of: ":"),
                UInt16(words[1][words[1].index(after: colon)...], radix: 16) == port
            else { return nil }
            return Int(words[9])
        }
    }

    /// Finds the folder of the control group of this process, of version 2.
    ///
    /// - Parameter groups: the content of `/proc/self/cgroup`.
    static func controlGroup(in groups: String) -> String? {
        groups.split(separator: "\n").first { $0.hasPrefix("0::") }.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    /// Reads the properties that `systemctl show` and `timedatectl show` print.
    static func properties(_ text: String) -> [String: String] {
        var properties: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            properties[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return properties
    }

    /// Reads a unit from its properties.
    static func unit(_ name: String, _ properties: [String: String]) -> SystemCheckup.Unit {
        var unit = SystemCheckup.Unit(name: name)
        unit.load = properties["LoadState"] ?? ""
        unit.file = properties["UnitFileState"] ?? ""
        unit.active = properties["ActiveState"] ?? ""
        unit.result = properties["Result"] ?? ""
        unit.restarts = properties["NRestarts"].flatMap { Int($0) } ?? 0
        // { path=/usr/bin/parley ; argv[]=… ; … }
        if let command = properties["ExecStart"], let start = command.firstRange(of: "path=") {
            let path = command[start.upperBound...].prefix { $0 != " " && $0 != ";" }
            if path.hasPrefix("/") { unit.program = String(path) }
        }
        return unit
    }
}
