internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Hosting
internal import ParleyRules

/// `parley doctor`: checks what bots need on this machine and in the network, and says what to mend.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check clock, names, ports, proxies, routers, disks, limits, versions, units and bots.yaml.",
        discussion: """
            Takes the options and the bots.yaml of parley run, and says what to mend. It runs with and without a data folder, and beside running bots: \
            it takes no lock and writes nothing. It contacts the routers and proxies of the configuration, and creates and deletes a queue on each router.
            Exit codes: 0 no errors, 1 errors, 2 bad input.
            """)

    @Argument(help: "The file that describes the bots. [default: bots.yaml, if it exists]")
    var file: String?

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Flag(help: "Contact nobody: no routers, proxies or name servers.")
    var offline = false

    @OptionGroup var options: CommonOptions

    func run() async throws {
        let path = file ?? "bots.yaml"
        var bots: BotsFile?, findings: [DoctorFinding] = []
        if FileManager.default.fileExists(atPath: path) {
            do throws(BotsFileError) {
                let found = try BotsFile(contentsOf: path)
                findings = BotsFileCheckup.findings(found, path)
                bots = found
            } catch {
                findings = BotsFileCheckup.findings(error)
            }
        } else if file != nil {
            throw Outcome.BadInput("doctor.noFile", description: "there is no file \(path): `parley init` writes one")
        }
        var configuration = try options.settings(data: data, network: bots?.network ?? HostNetwork())
        configuration.monitoring = bots?.monitoring
        let targets = try RouterTarget.all(in: configuration)
        if !options.json, !offline, !targets.isEmpty { Output.progress("Asking \(TableColumns.counted(targets.count, "router")) …") }
        let doctor = Doctor(
            isOffline: offline, configuration: configuration, keyFile: options.keys.keyFile ?? ProcessInfo.processInfo.environment["PARLEY_KEY_FILE"],
            bots: bots)
        findings = await doctor.findings(targets: targets) + findings
        Output.endProgress()
        try show(findings)
    }

    private func show(_ findings: [DoctorFinding]) throws {
        let errors = findings.count { $0.level == .error }, warnings = findings.count { $0.level == .warning }
        if options.json {
            for finding in findings { Output.line(finding.json) }
            Output.line(["event": "done", "errors": .int(errors), "warnings": .int(warnings)])
        } else {
            for line in DoctorFinding.lines(findings) { Output.line(line) }
            let found = [TableColumns.counted(errors, "error"), TableColumns.counted(warnings, "warning")]
            Output.line("\n" + (errors + warnings == 0 ? "Nothing to mend." : found.joined(separator: ", ") + "."))
        }
        if errors > 0 { throw ExitCode(1) }
    }
}
