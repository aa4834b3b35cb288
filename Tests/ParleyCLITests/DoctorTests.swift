import AsyncPrimitives
import ChatProtocol
import Hosting
import Parley
import SMPTransport
import Testing

@testable import ParleyCLI

/// The decisions of `parley doctor`.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    private static let now = 1_800_000_000

    private static func faults(_ findings: [DoctorFinding]) -> [String] { findings.filter { $0.level != .ok }.map { "\($0.level.rawValue) \($0.code)" } }

    // MARK: The clock

    @Test func aClockIsComparedWithTheFolderAServerAndTheReleaseOfTheProgram() {
        func faults(_ change: (inout ClockCheckup) -> Void) -> [String] {
            var clock = ClockCheckup(now: Self.now)
            change(&clock)
            #expect(!clock.findings.isEmpty)
            return Self.faults(clock.findings)
        }
        #expect(faults { _ in } == [])
        #expect(faults { $0.latestChange = Self.now + 3_600 } == [])
        #expect(faults { $0.latestChange = Self.now + 3_601 } == ["error doctor.clock.past"])
        #expect(faults { $0.now = 1_700_000_000 } == ["error doctor.clock.past"])
        #expect(faults { $0.difference = 30 } == [])
        #expect(faults { $0.difference = -31 } == ["warning doctor.clock.wrong"])
        #expect(faults { $0.difference = 3_601 } == ["error doctor.clock.wrong"])
        #expect(faults { $0.isSynchronized = false } == ["warning doctor.clock.unsynchronized"])
        #expect(faults { $0.knowsZones = false } == ["warning doctor.clock.zones"])
    }

    @Test func aDifferenceOfClocksHasItsDirectionAndUnit() throws {
        let slow = ClockCheckup(now: Self.now, difference: -300), fast = ClockCheckup(now: Self.now, difference: 90_000)
        #expect(try #require(slow.findings.first).message == "the clock is 5 min slow, compared with a server")
        #expect(try #require(fast.findings.first).message == "the clock is 25 h fast, compared with a server")
        #expect(Doctor.time("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(Doctor.time("06 Nov 1994") == nil)
    }

    // MARK: The folder

    private static func folder(_ change: (inout FolderInspection) -> Void = { _ in }) -> FolderCheckup {
        var folder = FolderInspection(path: "/data")
        (folder.exists, folder.owner, folder.mode, folder.isWritable, folder.newestBackup) = (true, 1_000, 0o700, true, now - 3_600)
        folder.databases = [.init(label: "chat", path: "/data/parley_chat.db", bytes: 5 << 20, isEncrypted: false, mode: 0o600)]
        change(&folder)
        return FolderCheckup(
            folder: folder, user: 1_000, now: now, disk: .init(type: "ext4", free: 20 << 30, size: 40 << 30), keyFile: nil, hasKey: false)
    }

    @Test func aSoundFolderHasNoFaults() {
        let findings = Self.folder().findings
        #expect(Self.faults(findings) == [])
        #expect(findings.map(\.code) == ["doctor.disk.databases", "doctor.disk.space", "doctor.backup"])
    }

    @Test func whoMayReadAndWriteTheFolderIsChecked() {
        let foreign = Self.folder { ($0.owner, $0.fault, $0.databases, $0.missingParts) = (7, "it cannot be read", [], ["chat"]) }
        #expect(foreign.findings.map(\.code) == ["doctor.disk.owner", "doctor.disk.space"], "nothing is said about what is not seen")
        var root = Self.folder { $0.owner = 7 }
        root.user = 0
        #expect(Self.faults(root.findings) == [], "root becomes the owner")
        #expect(Self.faults(Self.folder { $0.isWritable = false }.findings) == ["error doctor.disk.readOnly"])
        #expect(Self.faults(Self.folder { $0.mode = 0o750 }.findings) == ["warning doctor.disk.permissions"])
        #expect(Self.faults(Self.folder { $0.databases[0].mode = 0o644 }.findings) == ["warning doctor.disk.permissions"])
        var absent = Self.folder { ($0.exists, $0.databases, $0.owner, $0.newestBackup) = (false, [], 0, nil) }
        #expect(Self.faults(absent.findings) == [], "a folder above it may be root's")
        absent.folder.isWritable = false
        #expect(Self.faults(absent.findings) == ["error doctor.disk.readOnly"])
    }

    @Test func damageCopiesAndNewerVersionsAreReported() {
        #expect(Self.faults(Self.folder { $0.missingParts = ["agent"] }.findings) == ["error doctor.disk.missingPart"])
        #expect(Self.faults(Self.folder { $0.fault = "it is damaged" }.findings) == ["error doctor.disk.damaged"])
        #expect(Self.faults(Self.folder { $0.isNewer = true }.findings) == ["error doctor.version.database"])
        #expect(Self.faults(Self.folder { $0.copySign = .newFiles }.findings) == ["warning doctor.disk.copy"])
        #expect(Self.faults(Self.folder { $0.copySign = .otherInodes }.findings) == ["warning doctor.disk.unsteadyInodes"])
        #expect(Self.faults(Self.folder { ($0.copySign, $0.holder) = (.newFiles, 4_711) }.findings) == [], "the running process has dealt with it")
    }

    @Test func theDiskIsCheckedForSpaceAndKind() {
        func faults(_ type: String, free: Int) -> [String] {
            var folder = Self.folder()
            folder.disk = .init(type: type, free: free, size: 40 << 30)
            return Self.faults(folder.findings)
        }
        #expect(faults("ext4", free: 1 << 30) == [])
        #expect(faults("ext4", free: 1 << 30 - 1) == ["warning doctor.disk.low"])
        #expect(faults("ext4", free: 64 << 20 - 1) == ["error doctor.disk.full"])
        #expect(faults("nfs4", free: 2 << 30) == ["warning doctor.disk.network"])
        #expect(faults("overlay", free: 2 << 30) == ["warning doctor.disk.temporary"])
    }

    @Test func theKeyIsReadableByItsOwnerAlone() {
        func faults(_ keyFile: FolderCheckup.KeyFile?, isEncrypted: Bool = true) -> [String] {
            var folder = Self.folder { $0.databases[0].isEncrypted = isEncrypted }
            (folder.keyFile, folder.hasKey) = (keyFile, keyFile != nil)
            return Self.faults(folder.findings)
        }
        #expect(faults(.init(path: "/key", mode: 0o400, isReadable: true)) == [])
        #expect(faults(.init(path: "/key", mode: 0o440, isReadable: true)) == ["warning doctor.disk.keyFile"])
        #expect(faults(.init(path: "/key", mode: nil, isReadable: false)) == ["error doctor.disk.keyFile"])
        #expect(faults(nil) == ["warning doctor.disk.keyNeeded"])
        #expect(faults(nil, isEncrypted: false) == [])
    }

    @Test func aBackupIsOldAfterAWeek() {
        #expect(Self.faults(Self.folder { $0.newestBackup = Self.now - 604_800 }.findings) == [])
        #expect(Self.faults(Self.folder { $0.newestBackup = Self.now - 604_801 }.findings) == ["warning doctor.backup.old"])
        #expect(Self.faults(Self.folder { $0.newestBackup = nil }.findings) == ["warning doctor.backup.none"])
    }

    // MARK: The network

    @Test func whoReachesTheBotsFollowsFromTheNetwork() {
        func faults(_ network: ReachCheckup.Network, hasFolder: Bool = false) -> [String] {
            Self.faults(ReachCheckup(network: network, hasFolder: hasFolder).findings)
        }
        #expect(faults(.preset(isAccepted: true)) == [])
        #expect(faults(.preset(isAccepted: false)) == ["error doctor.reach.conditions"])
        #expect(faults(.preset(isAccepted: false), hasFolder: true) == [], "the folder may hold the acceptance")
        #expect(faults(.named(areLocal: false)) == [])
        #expect(faults(.named(areLocal: true)) == ["warning doctor.reach.local"])
        #expect(faults(.embedded(.loopback)) == ["warning doctor.reach.local"])
        #expect(faults(.embedded(.here("bots.example"))) == [])
        #expect(faults(.embedded(.elsewhere("bots.example"))) == ["warning doctor.reach.elsewhere"])
        #expect(faults(.embedded(.unknown("bots.example"))) == ["error doctor.reach.unknown"])
    }

    @Test func namesPortsAndProxiesThatDoNotWorkAreErrors() {
        var reach = ReachCheckup(network: .named(areLocal: false), hasFolder: true)
        reach.names = [.init(name: "a.example", addresses: 2), .init(name: "b.example", addresses: 0), .init(name: "c.example", addresses: nil)]
        #expect(Self.faults(reach.findings) == ["error doctor.name.unknown", "error doctor.name.slow"])
        reach.names = []
        reach.ports = [
            .init(purpose: "metrics", port: 1, state: .taken, option: "--metrics-port"), .init(purpose: "metrics", port: 2, state: .ours, option: ""),
            .init(purpose: "metrics", port: 3, state: .free, option: "", needsPrivilege: true),
        ]
        #expect(Self.faults(reach.findings) == ["error doctor.port.taken", "warning doctor.port.privileged"])
        reach.ports = [.init(purpose: "the router", port: 4, state: .free, option: "--router-port", earlier: 5)]
        #expect(Self.faults(reach.findings) == ["warning doctor.port.moved"])
        reach.ports = []
        reach.proxies = [.init(address: "a:1", source: "--socks-proxy", failure: nil), .init(address: "b:2", source: "--socks-proxy", failure: "refused")]
        reach.invalidProxies = ["https_proxy"]
        #expect(Self.faults(reach.findings) == ["error doctor.proxy.invalid", "error doctor.proxy.unreachable"])
        (reach.proxies, reach.invalidProxies) = ([], [])
        reach.telemetryFault = ("OTEL_EXPORTER_OTLP_PROTOCOL", "is not http/json")
        reach.collectors = [.init(address: "http://a:4318", source: "", failure: nil), .init(address: "http://b:4318", source: "", failure: "refused")]
        #expect(Self.faults(reach.findings) == ["error doctor.telemetry.invalid", "warning doctor.telemetry.unreachable"])
    }

    @Test(arguments: [
        (RouterProbe.Failure.unreachable("refused"), "doctor.router.unreachable"), (.timeout, "doctor.router.timeout"),
        (.identity, "doctor.router.identity"), (.version, "doctor.router.version"), (.password, "doctor.router.password"),
        (.refused("QUOTA"), "doctor.router.refused"),
    ])
    func everyFailureOfARouterHasItsCode(_ failure: RouterProbe.Failure, _ code: String) {
        let finding = RouterCheckup(name: "a.example", isForFiles: false, hasPassword: false, outcome: .init(failure: failure)).finding
        #expect(finding.level == .error && finding.code == code && finding.remedy != nil)
    }

    @Test func aRouterIsReportedWithItsVersionAndTime() {
        func finding(_ outcome: RouterProbe.Outcome?) -> DoctorFinding {
            RouterCheckup(name: "a.example", isForFiles: true, hasPassword: true, outcome: outcome).finding
        }
        let good = finding(.init(version: 3, connecting: .milliseconds(42)))
        #expect(good == .ok("router", "a.example", "the file router speaks version 3 and was connected after 42 ms"))
        #expect(finding(.init(version: 3, connecting: .seconds(4))).code == "doctor.router.slow")
        #expect(finding(nil).code == "doctor.router.timeout")
        #expect(finding(.init(failure: .password)).message == "the file router refuses the password")
    }

    @Test func withoutNamesThereIsOneErrorAndNoneForTheirRouters() {
        var reach = ReachCheckup(network: .preset(isAccepted: true), hasFolder: true)
        reach.names = ["a", "b", "c", "d"].map { .init(name: $0, addresses: 0) }
        #expect(Self.faults(reach.findings) == ["error doctor.name.none"])
        func router(_ names: [String]) -> RouterCheckup {
            RouterCheckup(name: "r", isForFiles: false, hasPassword: false, names: names, outcome: .init(failure: .unreachable("its name has no address")))
        }
        #expect(RouterCheckup.findings([router(["a"]), router(["a", "d"])], unresolved: reach.unresolvedNames).isEmpty)
        #expect(RouterCheckup.findings([router(["a", "e"]), router([])], unresolved: reach.unresolvedNames).count == 2)
        reach.names[3].addresses = 1
        #expect(Self.faults(reach.findings) == Array(repeating: "error doctor.name.unknown", count: 3))
    }

    // MARK: The system

    private static func system(_ change: (inout SystemCheckup) -> Void) -> [String] {
        var system = SystemCheckup(openFiles: 65_536, neededFiles: 100, profiles: 1)
        change(&system)
        return faults(system.findings)
    }

    @Test func limitsThatAreTooLowAreWarnings() {
        #expect(Self.system { _ in } == [])
        #expect(Self.system { $0.openFiles = 99 } == ["warning doctor.limit.files"])
        #expect(Self.system { ($0.memoryLimit, $0.memoryUsed) = (1 << 30, 100 << 20) } == [])
        #expect(Self.system { $0.memoryLimit = 64 << 20 } == ["warning doctor.limit.memory"])
        #expect(Self.system { ($0.memoryLimit, $0.memoryUsed) = (1 << 30, 1_000 << 20) } == ["warning doctor.limit.memory"])
    }

    @Test func theRunningBotsSayWhatTheyLack() throws {
        func faults(_ text: String) throws -> [String] {
            let report = try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
            return Self.system { $0.running = SystemCheckup.Running(report) }
        }
        let version = ParleyVersion.current.parley
        #expect(try faults(#"{"version":"\#(version)","phase":"ready","storageFailing":false,"routers":[{"address":"a","reached":true}]}"#) == [])
        #expect(
            try faults(#"{"version":"0.0.1","phase":"starting","storageFailing":true,"routers":[{"address":"a","reached":false}]}"#) == [
                "warning doctor.version.running", "error doctor.running.storage", "warning doctor.running.router", "warning doctor.running.starting",
            ])
        #expect(Self.system { $0.isUnresponsive = true } == ["warning doctor.running.silent"])
    }

    @Test func aUnitIsJudgedByItsStateAndProgram() {
        func faults(_ change: (inout SystemCheckup.Unit) -> Void) -> [String] {
            Self.system { system in
                var unit = SystemCheckup.Unit(name: "parley-bots.service", load: "loaded", file: "enabled", active: "active", result: "success")
                change(&unit)
                (system.hasSystemd, system.units) = (true, [unit])
            }
        }
        #expect(faults { _ in } == [])
        #expect(faults { $0.load = "not-found" } == [])
        #expect(faults { $0.active = "failed" } == ["error doctor.unit.failed"])
        #expect(faults { ($0.active, $0.restarts) = ("activating", 3) } == ["error doctor.unit.restarting"])
        #expect(faults { $0.active = "inactive" } == ["warning doctor.unit.stopped"])
        #expect(faults { $0.file = "disabled" } == ["warning doctor.unit.disabled"])
        #expect(faults { ($0.program, $0.version) = ("/usr/bin/parley", "0.0.1") } == ["warning doctor.unit.version"])
        #expect(faults { ($0.program, $0.version) = ("/usr/bin/parley", ParleyVersion.current.parley) } == [])
    }

    // MARK: Readings

    @Test func aFileSystemIsThatOfTheDeepestMount() {
        let mounts = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            23 22 0:5 / /srv/my\\040data rw - nfs4 server:/data rw
            24 22 0:6 / /srv rw - xfs /dev/sdb rw
            25 22 0:7 / /sr rw shared:9 master:2 - tmpfs tmpfs rw
            """
        #expect(SystemReadings.fileSystem(of: "/srv/my data/bots", in: mounts) == "nfs4")
        #expect(SystemReadings.fileSystem(of: "/srv/other", in: mounts) == "xfs")
        #expect(SystemReadings.fileSystem(of: "/home", in: mounts) == "ext4")
        #expect(SystemReadings.fileSystem(of: "/home", in: "nonsense\n") == nil)
    }

    @Test func listenersAreFoundByTheirPort() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 100 0 0 10 0
               2: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 4713 1 0
            """
        #expect(SystemReadings.listeners(on: 8_080, in: table) == [4_711])
        #expect(SystemReadings.listeners(on: 8_081, in: table) == [4_713])
        #expect(SystemReadings.listeners(on: 80, in: table) == [])
        #expect(SystemReadings.listeners(on: 80, in: "") == [])
    }

    @Test func aUnitIsReadFromItsProperties() {
        let text = """
            LoadState=loaded
            ActiveState=activating
            UnitFileState=enabled
            Result=exit-code
            NRestarts=4
            ExecStart={ path=/usr/bin/parley ; argv[]=/usr/bin/parley run /etc/parley/bots.yaml ; ignore_errors=no ; status=0/0 }
            """
        let unit = SystemReadings.unit("parley-bots.service", SystemReadings.properties(text))
        #expect(
            unit
                == SystemCheckup.Unit(
                    name: "parley-bots.service", load: "loaded", file: "enabled", active: "activating", result: "exit-code", restarts: 4,
                    program: "/usr/bin/parley"))
        #expect(SystemReadings.unit("x", [:]).program == nil)
        #expect(SystemReadings.controlGroup(in: "1:cpu:/a\n0::/system.slice/parley-bots.service\n") == "/sys/fs/cgroup/system.slice/parley-bots.service")
    }

    // MARK: Tools

    @Test func whatTakesTooLongIsGivenUp() async {
        let late = await DoctorTools.within(.milliseconds(1)) { () async -> Int in
            try? await AsyncSignal().waitUnlessCancelled()
            return 1
        }
        #expect(late == nil)
        #expect(await DoctorTools.within(.seconds(600)) { 7 } == 7)
        #expect(await DoctorTools.output(of: "/bin/sh", ["-c", "exec tail -f /dev/null"], limit: .milliseconds(1)) == nil)
    }

    @Test func theOutputOfAProgramIsReadIfItSucceeds() async {
        #expect(await DoctorTools.output(of: "/bin/sh", ["-c", "echo parley 1; echo no >&2"], limit: .seconds(600)) == "parley 1\n")
        #expect(await DoctorTools.output(of: "/bin/sh", ["-c", "echo parley 1; exit 3"], limit: .seconds(600)) == nil)
        #expect(await DoctorTools.output(of: "/no/such/program", [], limit: .seconds(600)) == nil)
    }

    @Test func anAddressIsFoundForThisMachineAndAConnectionSaysWhyItFails() async throws {
        let isLocal = await DoctorTools.lookUp("localhost", limit: .seconds(600))?.allSatisfy(\.isLoopback)
        #expect(isLocal == true)
        #expect(await DoctorTools.connectionFailure(to: "127.0.0.1", 1, limit: .seconds(600)) == "Connection refused")
        let hasLoopback = DoctorTools.ownAddresses().contains(where: \.isLoopback)
        #expect(hasLoopback)
    }

    @Test func aFindingHasItsCodeAndRemedyForPeopleAndScripts() {
        let finding = DoctorFinding.warning("disk.low", "/data", "10 MiB of 1 GiB are free", do: "free space")
        #expect(DoctorFinding.lines([finding]) == ["warning  /data: 10 MiB of 1 GiB are free [doctor.disk.low]", "         free space"])
        #expect(
            finding.json.text
                == #"{"event":"finding","level":"warning","code":"doctor.disk.low","subject":"/data","message":"10 MiB of 1 GiB are free","remedy":"free space"}"#
        )
        let others = [("b", "one"), ("c", "one"), ("d", "two")].map { DoctorFinding.error("name.unknown", $0.0, "no address", do: $0.1) }
        #expect(
            DoctorFinding.lines([.ok("clock", nil, "the clock is right")] + others) == [
                "ok       the clock is right", "error    b: no address [doctor.name.unknown]", "error    c: no address [doctor.name.unknown]", "         one",
                "error    d: no address [doctor.name.unknown]", "         two",
            ])
    }
}
