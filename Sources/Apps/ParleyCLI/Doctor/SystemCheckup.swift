internal import Parley

/// The limits of the system, the versions of programs and the units of systemd, as `parley doctor` sees them.
struct SystemCheckup: Sendable, Equatable {
    /// A unit of systemd.
    struct Unit: Sendable, Equatable {
        var name: String
        /// `LoadState`, `UnitFileState`, `ActiveState` and `Result` of systemd.
        var load = "", file = "", active = "", result = ""
        /// The number of automatic restarts.
        var restarts = 0
        /// The program that it starts; nil if it names none.
        var program: String?
        /// The version of that program; nil if it cannot be read.
        var version: String?
    }

    /// The process that runs bots on the data folder.
    struct Running: Sendable, Equatable {
        var version: String
        /// True if all bots have started.
        var isReady: Bool
        var isStorageFailing: Bool
        /// The routers that it does not reach.
        var unreachedRouters: [String]
        var reachedRouters: Int
    }

    /// The number of files that this process may have open.
    var openFiles: Int
    /// The number of files that the profiles need.
    var neededFiles: Int
    var profiles: Int
    /// The limit of the control group, in bytes; nil for none.
    var memoryLimit: Int?
    /// The use of the control group, in bytes.
    var memoryUsed: Int?
    var running: Running?
    /// True if another process holds the data folder and does not answer at its socket.
    var isUnresponsive = false
    /// The units; empty without systemd.
    var units: [Unit] = []
    /// True if systemd manages this machine.
    var hasSystemd = false

    var findings: [DoctorFinding] { versionFindings + runningFindings + limitFindings + unitFindings }

    private var versionFindings: [DoctorFinding] {
        let versions = ParleyVersion.current
        let protocols = versions.protocols.map { "\($0.name) \($0.range)" }.joined(separator: ", ")
        return [.ok("version", nil, "parley \(versions.parley), \(protocols)")]
    }

    private var runningFindings: [DoctorFinding] {
        if isUnresponsive {
            return [
                .warning(
                    "running.silent", nil, "a process uses the data folder and does not answer at its socket: it is starting, or runs no bots",
                    do: "wait for its start, or read its log")
            ]
        }
        guard let running else { return [] }
        var findings: [DoctorFinding] = []
        if running.version != ParleyVersion.current.parley {
            findings.append(
                .warning(
                    "version.running", nil, "the running bots are of version \(running.version), and this program is \(ParleyVersion.current.parley)",
                    do: "restart the bots with this program"))
        }
        if running.isStorageFailing {
            findings.append(.error("running.storage", nil, "the running bots accept nothing, because the disk fails", do: "free space, or check the disk"))
        }
        for router in running.unreachedRouters {
            findings.append(
                .warning("running.router", router, "the running bots do not reach the router", do: "check the router and the network; the bots keep trying"))
        }
        if !running.isReady {
            findings.append(
                .warning(
                    "running.starting", nil, "the running bots have not finished their start",
                    do: "wait; the first start needs the routers, to create the addresses"))
        }
        if findings.isEmpty {
            findings.append(
                .ok("running", nil, "the bots run" + (running.reachedRouters > 0 ? " and reach \(TableColumns.counted(running.reachedRouters, "router"))" : ""))
            )
        }
        return findings
    }

    private var limitFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if openFiles < neededFiles {
            findings.append(
                .warning(
                    "limit.files", nil, "a process may have \(openFiles) files and connections open, and \(profiles) profiles need about \(neededFiles)",
                    do: "raise the limit: LimitNOFILE= of the unit, or ulimit -n"))
        } else {
            findings.append(.ok("limit.files", nil, "a process may have \(openFiles) files and connections open"))
        }
        guard let memoryLimit else { return findings }
        let needed = Self.baseMemory + profiles * Self.memoryOfProfile, text = FolderCheckup.text(memoryLimit)
        if memoryLimit < needed {
            findings.append(
                .warning(
                    "limit.memory", nil, "the control group allows \(text) of memory, and \(profiles) profiles need about \(FolderCheckup.text(needed))",
                    do: "raise MemoryMax= of the unit, or the limit of the container"))
        } else if let memoryUsed, memoryUsed > memoryLimit / 10 * 9 {
            findings.append(
                .warning(
                    "limit.memory", nil, "\(FolderCheckup.text(memoryUsed)) of the \(text) of memory that the control group allows are in use",
                    do: "raise MemoryMax= of the unit, or the limit of the container"))
        } else {
            findings.append(.ok("limit.memory", nil, "the control group allows \(text) of memory"))
        }
        return findings
    }

    /// The memory of a process with few profiles, and that of each profile, with room for messages on their way.
    private static let baseMemory = 128 << 20, memoryOfProfile = 256 << 10

    private var unitFindings: [DoctorFinding] {
        guard hasSystemd else { return [.ok("unit", nil, "systemd does not manage this machine")] }
        let loaded = units.filter { $0.load == "loaded" }
        guard !loaded.isEmpty else { return [.ok("unit", nil, "no unit of Parley is installed")] }
        return loaded.flatMap(findings)
    }

    private func findings(_ unit: Unit) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let log = "read its log: journalctl -u \(unit.name)"
        switch unit.active {
        case "failed": findings.append(.error("unit.failed", unit.name, "the unit has failed (\(unit.result))", do: log))
        case "activating" where unit.restarts > 0:
            findings.append(.error("unit.restarting", unit.name, "the unit fails and is restarted, \(unit.restarts) times so far", do: log))
        case "inactive" where unit.file == "enabled":
            findings.append(.warning("unit.stopped", unit.name, "the unit is enabled and does not run", do: "systemctl start \(unit.name)"))
        case "active" where unit.file == "disabled":
            findings.append(
                .warning("unit.disabled", unit.name, "the unit runs and does not start with the machine", do: "systemctl enable \(unit.name)"))
        default: break
        }
        if let program = unit.program, let version = unit.version, version != ParleyVersion.current.parley {
            findings.append(
                .warning(
                    "unit.version", unit.name, "the unit starts \(program) of version \(version), and this program is \(ParleyVersion.current.parley)",
                    do: "install one version, and restart the unit"))
        }
        guard findings.isEmpty else { return findings }
        return [.ok("unit", unit.name, "the unit is \(unit.file.isEmpty ? "loaded" : unit.file) and \(unit.active)")]
    }
}
