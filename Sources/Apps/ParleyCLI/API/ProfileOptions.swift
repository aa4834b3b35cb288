internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol

/// Options of `parley api` about the profile that programs find.
struct ProfileOptions: ParsableArguments {
    @Option(
        name: [.customLong("create-bot-display-name"), .customLong("name")],
        help: "Create a bot profile with this name at the first start, if there is no profile.")
    var name: String?

    @Flag(name: .customLong("create-bot-allow-files"), help: "The created profile accepts files. Otherwise, its preferences refuse them.")
    var allowsFiles = false

    @Flag(name: .customLong("address"), help: "Create an address for the active profile, if it has none, and print it with its QR code.")
    var address = false

    @Flag(name: .customLong("accept"), help: "Accept contact requests at that address without asking the program.")
    var accept = false

    @Option(
        name: .customLong("auto-accept-files"), help: "Accept files up to this size without asking the program: a number of bytes, or with kb, mb or gb.")
    var acceptedFiles: FileSizeArgument?

    @Flag(name: [.customShort("r"), .customLong("mark-read")], help: "Mark received messages as read.")
    var marksRead = false

    func validate() throws {
        if allowsFiles, name == nil { throw ValidationError("--create-bot-allow-files is about the profile of --create-bot-display-name: add that option") }
        if accept, !address { throw ValidationError("--accept is about the address of --address: add that option") }
        if let name, !DisplayName.isValid(name) { throw ValidationError("--create-bot-display-name: \"\(name)\" is not a valid name for a profile") }
    }

    /// The profile to create; nil for none.
    var profile: Profile? {
        guard let name else { return nil }
        var profile = Profile(displayName: name)
        profile.peerType = .bot
        if !allowsFiles {
            var preferences = ChatPreferences()
            preferences.files = SimplePreference(allow: .no)
            profile.preferences = preferences
        }
        return profile
    }
}

/// Options of `simplex-chat` about its terminal and its logs. Scripts find them, and they change nothing.
struct TerminalOptions: ParsableArguments {
    @Option(name: .customLong("chat-server-port"), help: "Another name of --port.")
    var serverPort: Int?

    @Option(name: .customLong("device-name"), help: .hidden)
    var deviceName: String?

    @Option(name: .customLong("log-file"), help: .hidden)
    var logFile: String?

    @Option(name: [.customShort("q"), .customLong("queue-size")], help: .hidden)
    var queueSize: Int?

    @Flag(name: [.customShort("c"), .customLong("connections")], help: .hidden)
    var connections = false

    @Flag(name: .customLong("log-hosts"), help: .hidden)
    var logHosts = false

    @Flag(name: .customLong("log-tls-errors"), help: .hidden)
    var logTLSErrors = false

    @Flag(name: .customLong("log-agent"), help: .hidden)
    var logAgent = false

    @Flag(name: .customLong("mute"), help: .hidden)
    var mute = false

    @Flag(name: .customLong("reactions"), help: .hidden)
    var reactions = false

    @Flag(name: [.customShort("f"), .customLong("allow-instant-files")], help: .hidden)
    var instantFiles = false

    @Flag(name: .customLong("ha"), help: .hidden)
    var highAvailability = false

    @Flag(name: .customLong("create-bot-client-service"), help: .hidden)
    var clientService = false
}

/// The size of a file as a person types it.
struct FileSizeArgument: ExpressibleByArgument, Hashable {
    let bytes: Int64

    init?(argument: String) {
        let text = argument.lowercased(), digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: Int64
        switch text.dropFirst(digits.count) {
        case "": unit = 1
        case "kb": unit = 1 << 10
        case "mb": unit = 1 << 20
        case "gb": unit = 1 << 30
        default: return nil
        }
        guard let number = Int64(digits), number >= 0 else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        guard !isTooLarge else { return nil }
        self.bytes = bytes
    }
}
