internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import Parley
internal import ParleyRules
internal import SMPProtocol
internal import SMPTransport
internal import SystemSupport
internal import Telemetry
internal import WebClient

/// The observations of `parley doctor`: reads the system, the data folder and the network, and hands what it finds to the checkups.
///
/// It takes no lock, writes nothing and opens no database. It contacts the configured routers and proxies, and name servers, unless it is offline.
struct Doctor: Sendable {
    /// Nothing is contacted.
    let isOffline: Bool
    /// The configuration that `parley run` would use. Its key is not read.
    let configuration: HostConfiguration
    /// The file that has the key of the databases; nil if none is named.
    let keyFile: String?
    let bots: BotsFile?

    /// The longest time of a lookup, of a connection and of an answer of a router.
    private static let limit = Duration.seconds(4)
    /// The longest time of all of a router's test, which looks names up, connects and asks twice.
    private static let routerLimit = Duration.seconds(10)
    /// The most routers that one profile uses at once, as far as the limit of open files is concerned.
    private static let routersOfProfile = 12
    /// The most routers that are asked for the time.
    private static let clocks = 3

    /// Makes all observations, those of the network at once.
    func findings(targets: [RouterTarget]) async -> [DoctorFinding] {
        let folder = FolderInspection(configuration.data), network = RouterNetwork(configuration.network)
        async let running = self.running(folder)
        async let routers = testRouters(targets, network)
        async let difference = clockDifference(targets, network)
        async let reach = self.reach(targets, network, folder)
        async let units = self.units()
        async let isSynchronized = isClockSynchronized()
        let clock = ClockCheckup(
            now: Int(Date().timeIntervalSince1970), latestChange: folder.latestChange, isSynchronized: await isSynchronized, difference: await difference,
            knowsZones: TimeZone(identifier: "Europe/Berlin") != nil)
        let disk = FolderCheckup(
            folder: folder, user: geteuid(), now: clock.now, disk: disk(of: folder.path), keyFile: keyFile.map(inspect),
            hasKey: keyFile != nil || configuration.databaseKey != nil)
        let system = await system(running, units, targets, isUnresponsive: folder.holder != nil)
        let reached = await reach, probes = RouterCheckup.findings(await routers, unresolved: reached.unresolvedNames)
        return system.findings + clock.findings + disk.findings + reached.findings + probes
    }

    // MARK: Routers

    private func testRouters(_ targets: [RouterTarget], _ network: RouterNetwork) async -> [RouterCheckup] {
        guard !isOffline else { return [] }
        // A proxy such as Tor's needs longer.
        let probe = RouterProbe(network, limit: network.proxy == nil ? Self.limit : Self.routerLimit)
        return await withTaskGroup(of: (Int, RouterCheckup).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask {
                    let outcome = await DoctorTools.within(Self.routerLimit) { await probe.test(target) }
                    let names = network.lookedUpNames(of: target)
                    return (
                        index,
                        RouterCheckup(
                            name: target.name, isForFiles: target.isForFiles, hasPassword: target.hasPassword, names: names, outcome: outcome)
                    )
                }
            }
            var checkups: [(Int, RouterCheckup)] = []
            for await checkup in group { checkups.append(checkup) }
            return checkups.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Compares the clock with that of the web servers beside routers, as those of the public network have them.
    private func clockDifference(_ targets: [RouterTarget], _ network: RouterNetwork) async -> Int? {
        guard !isOffline else { return nil }
        let hosts = targets.filter { !$0.isForFiles && !$0.isLocal }.compactMap { target in
            network.reached(target).first { if case .domain = $0 { true } else { false } }?.description
        }
        var proxy = WebProxy()
        if let server = network.proxy { proxy = WebProxy(environment: ["all_proxy": "socks5h://\(server.host):\(server.port)"]) }
        var limits = WebClient.Limits()
        (limits.duration, limits.patience, limits.body) = (Self.limit, Self.limit, 1 << 20)
        let client = WebClient(limits: limits, proxy: proxy)
        let answers = await withTaskGroup(of: Int?.self) { group in
            for host in hosts.prefix(Self.clocks) {
                group.addTask {
                    let answer = try? await client.withResponse(to: WebRequest("HEAD", "https://\(host)/")) { response, _ in
                        response["date"].flatMap { Self.time($0) }.map { Int(Date().timeIntervalSince1970) - $0 }
                    }
                    return answer ?? nil
                }
            }
            var answers: [Int] = []
            for await answer in group { if let answer { answers.append(answer) } }
            return answers.sorted()
        }
        // The middle one: a single server may be wrong.
        return answers.isEmpty ? nil : answers[answers.count / 2]
    }

    /// Reads a time as of `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since 1970.
    static func time(_ text: String) -> Int? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text).map { Int($0.timeIntervalSince1970) }
    }

    private func isClockSynchronized() async -> Bool? {
        guard let text = await DoctorTools.output(of: "/usr/bin/timedatectl", ["show", "--property=NTPSynchronized"], limit: Self.limit) else { return nil }
        switch SystemReadings.properties(text)["NTPSynchronized"] {
        case "yes": return true
        case "no": return false
        default: return nil
        }
    }

    // MARK: Reach

    private func reach(_ targets: [RouterTarget], _ network: RouterNetwork, _ folder: FolderInspection) async -> ReachCheckup {
        var checkup = ReachCheckup(network: await self.network(targets), hasFolder: folder.exists)
        checkup.ports = ports(folder)
        let environment = WebProxy()
        checkup.invalidProxies = environment.invalidVariables
        var telemetry: TelemetryConfiguration?
        do throws(TelemetryConfiguration.Fault) {
            telemetry = try TelemetryConfiguration(environment: ProcessInfo.processInfo.environment, version: ParleyVersion.current.parley)
        } catch {
            checkup.telemetryFault = (error.variable, error.reason)
        }
        guard !isOffline else { return checkup }
        let names = Set(targets.flatMap(network.lookedUpNames)).sorted()
        var proxies = environment.addresses.map { (host: $0.host, port: $0.port, source: "the proxy variables of the environment") }
        if let proxy = network.proxy { proxies.insert((proxy.host, proxy.port, "--socks-proxy"), at: 0) }
        async let found = Self.all(names) { name in
            ReachCheckup.Name(name: name, addresses: await DoctorTools.lookUp(name, limit: Self.limit)?.count)
        }
        checkup.proxies = await Self.all(proxies) { proxy in
            ReachCheckup.Proxy(
                address: "\(proxy.host):\(proxy.port)", source: proxy.source,
                failure: await DoctorTools.connectionFailure(to: proxy.host, proxy.port, limit: Self.limit))
        }
        // A proxy would be asked for a connection of its own.
        let collectors = environment.addresses.isEmpty ? Set([telemetry?.traces, telemetry?.metrics].compactMap { $0.flatMap { Self.place(of: $0) } }) : []
        checkup.collectors = await Self.all(collectors.sorted()) { place in
            let url = URLComponents(string: place), host = url?.host ?? ""
            return ReachCheckup.Proxy(
                address: place, source: "OTEL_EXPORTER_OTLP_ENDPOINT",
                failure: await DoctorTools.connectionFailure(
                    to: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, url?.port ?? (url?.scheme == "https" ? 443 : 80), limit: Self.limit))
        }
        checkup.names = await found
        return checkup
    }

    /// The scheme, host and port of a collector: the rest of its address may hold a secret.
    private static func place(of target: TelemetryConfiguration.Target) -> String? {
        guard let url = URLComponents(string: target.url), let scheme = url.scheme, let host = url.host else { return nil }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }

    /// Does the same with all values at once, and keeps their order.
    private static func all<Value: Sendable, Result: Sendable>(_ values: [Value], _ body: @escaping @Sendable (Value) async -> Result) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            for (index, value) in values.enumerated() { group.addTask { (index, await body(value)) } }
            var results: [(Int, Result)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func network(_ targets: [RouterTarget]) async -> ReachCheckup.Network {
        if configuration.network.usesPresetOperators { return .preset(isAccepted: configuration.network.acceptsConditions) }
        if !configuration.servers.isEmpty { return .named(areLocal: targets.filter { !$0.isForFiles }.allSatisfy(\.isLocal)) }
        let host = configuration.router.host
        if host == "localhost" || IPAddress(parsing: host)?.isLoopback == true { return .embedded(.loopback) }
        let addresses: [IPAddress]
        if let address = IPAddress(parsing: host) {
            addresses = [address]
        } else if isOffline {
            return .embedded(.notChecked(host))
        } else {
            guard let found = await DoctorTools.lookUp(host, limit: Self.limit), !found.isEmpty else { return .embedded(.unknown(host)) }
            addresses = found
        }
        if addresses.allSatisfy(\.isLoopback) { return .embedded(.loopback) }
        return .embedded(DoctorTools.ownAddresses().isDisjoint(with: addresses) ? .elsewhere(host) : .here(host))
    }

    private func ports(_ folder: FolderInspection) -> [ReachCheckup.Port] {
        var wanted: [(purpose: String, port: UInt16?, option: String)] = [], kept: [UInt16?] = []
        if configuration.servers.isEmpty, !configuration.network.usesPresetOperators {
            wanted.append(("the router inside the process", configuration.router.port ?? folder.routerPort, "--router-port"))
            kept.append(folder.routerPort)
            if configuration.fileServers.isEmpty {
                wanted.append(("the file router inside the process", configuration.router.filePort ?? folder.fileRouterPort, "--file-router-port"))
                kept.append(folder.fileRouterPort)
            }
        }
        wanted.append(("metrics and health", configuration.monitoring?.port, "--metrics-port or `metrics` in bots.yaml"))
        wanted.append(("the endpoint of webhooks", bots?.webhooks.map { UInt16(clamping: $0.port) }, "`webhooks` in bots.yaml"))
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(DoctorTools.text)
        let privileged = Int(DoctorTools.text(ofFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start").trimmingCharacters(in: .whitespacesAndNewlines)) ?? 1_024
        return wanted.enumerated().compactMap { index, wanted in
            let (purpose, port, option) = wanted
            guard let port, port > 0 else { return nil }
            let earlier = index < kept.count ? kept[index] : nil
            let listeners = tables.flatMap { SystemReadings.listeners(on: port, in: $0) }
            let state: ReachCheckup.Port.State
            if listeners.isEmpty {
                state = .free
            } else if let holder = folder.holder, DoctorTools.process(holder, hasSocketAmong: listeners) ?? true {
                state = .ours
            } else {
                state = .taken
            }
            return ReachCheckup.Port(
                purpose: purpose, port: port, state: state, option: option, needsPrivilege: Int(port) < privileged && geteuid() != 0,
                earlier: earlier == port ? nil : earlier)
        }
    }

    // MARK: The system

    private func disk(of path: String) -> FolderCheckup.Disk? {
        var folder = URL(fileURLWithPath: path).standardizedFileURL.path
        while !FileManager.default.fileExists(atPath: folder), folder != "/" { folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path }
        folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let block = Int(status.f_frsize)
        return FolderCheckup.Disk(
            type: SystemReadings.fileSystem(of: folder, in: DoctorTools.text(ofFile: "/proc/self/mountinfo")) ?? "",
            free: Int(clamping: status.f_bavail) * block, size: Int(clamping: status.f_blocks) * block)
    }

    private func inspect(_ path: String) -> FolderCheckup.KeyFile {
        var status = stat()
        let isThere = stat(path, &status) == 0
        return FolderCheckup.KeyFile(path: path, mode: isThere ? UInt32(status.st_mode & 0o7777) : nil, isReadable: access(path, R_OK) == 0)
    }

    /// Asks the process that runs bots on the folder for its state.
    private func running(_ folder: FolderInspection) async -> SystemCheckup.Running? {
        guard folder.exists else { return nil }
        let data = configuration.data
        return await DoctorTools.within(Self.limit) { () async -> SystemCheckup.Running? in
            guard let host = await RunningHost.connect(data) else { return nil }
            let report = try? await host.report("status")
            await host.close()
            return report?.objectValue.map { SystemCheckup.Running($0) }
        } ?? nil
    }

    private func system(
        _ running: SystemCheckup.Running?, _ units: [SystemCheckup.Unit]?, _ targets: [RouterTarget], isUnresponsive: Bool
    ) -> SystemCheckup {
        let profiles = bots?.profiles.count ?? 1
        // Each profile has a connection to each of its routers, and a router inside the process has one for each profile.
        let connections = profiles * min(max(2, targets.count), Self.routersOfProfile)
        var system = SystemCheckup(openFiles: OpenFiles.raiseLimit(), neededFiles: OpenFiles.needed + connections, profiles: profiles)
        if let group = SystemReadings.controlGroup(in: DoctorTools.text(ofFile: "/proc/self/cgroup")) {
            func number(_ name: String) -> Int? { Int(DoctorTools.text(ofFile: group + "/" + name).trimmingCharacters(in: .whitespacesAndNewlines)) }
            system.memoryLimit = number("memory.max")
            system.memoryUsed = number("memory.current")
        }
        system.running = running
        system.isUnresponsive = isUnresponsive && running == nil
        system.hasSystemd = units != nil
        system.units = units ?? []
        return system
    }

    /// The names of the units that packages and documentation install.
    private static let unitNames = ["parley-bots.service", "parley-router.service", "parley-file-router.service"]

    /// - Returns: nil without systemd.
    private func units() async -> [SystemCheckup.Unit]? {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system") else { return nil }
        let properties = "--property=LoadState,UnitFileState,ActiveState,Result,NRestarts,ExecStart"
        return await Self.all(Self.unitNames) { name in
            let text = await DoctorTools.output(of: "/usr/bin/systemctl", ["show", name, properties], limit: Self.limit) ?? ""
            var unit = SystemReadings.unit(name, SystemReadings.properties(text))
            if let program = unit.program { unit.version = await Self.version(of: program) }
            return unit
        }
    }

    /// Reads the version of a program. A file that another user could have replaced is not run.
    private static func version(of program: String) async -> String? {
        var status = stat()
        guard stat(program, &status) == 0, status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { return nil }
        let text = await DoctorTools.output(of: program, ["version"], limit: limit) ?? ""
        return text.split(separator: "\n").first.flatMap { $0.hasPrefix("parley ") ? String($0.dropFirst("parley ".count)) : nil }
    }
}

extension RouterTarget {
    /// True if all hosts are of this machine.
    fileprivate var isLocal: Bool {
        hosts.allSatisfy { host in host.description == "localhost" || IPAddress(parsing: host.description)?.isLoopback == true }
    }
}

extension SystemCheckup.Running {
    /// Reads the report of a process.
    init(_ report: JSONObject) {
        let routers = report["routers"]?.arrayValue ?? []
        self.init(
            version: report["version"]?.stringValue ?? "", isReady: report["phase"]?.stringValue == "ready",
            isStorageFailing: report["storageFailing"]?.boolValue == true,
            unreachedRouters: routers.filter { $0["reached"]?.boolValue == false }.compactMap { $0["address"]?.stringValue },
            reachedRouters: routers.count { $0["reached"]?.boolValue == true })
    }
}
