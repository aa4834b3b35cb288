public import ChatProtocol

/// Commands about the core itself.
public enum CoreCommand: Sendable, Hashable {
    /// Starts sending and receiving; `sendFiles` also starts uploads when `mainApp` is false.
    case start(mainApp: Bool = true, sendFiles: Bool = true)
    /// Tells whether the core is started.
    case checkRunning
    /// Stops sending and receiving.
    case stop
    /// Ends a suspension.
    case activate(restoreChat: Bool = true)
    /// Stops sending and receiving after that many microseconds.
    case suspend(timeout: Int64)
    /// Compares the connections of chats and agent.
    case connectionsDifference(showIDs: Bool = false)
    /// Subscribes all connections again.
    case resubscribeAll
    /// Sets the folder for temporary files.
    case setTemporaryFolder(String)
    /// Sets the folder for files of chats.
    case setFilesFolder(String)
    /// Sets the folder for files of controlled devices.
    case setRemoteHostsFolder(String)
    /// Sets all folders.
    case setFilePaths(AppFilePaths)
    /// Sets whether received files are encrypted here.
    case setEncryptLocalFiles(Bool)
    /// Sets whether contacts that turn out to be the same person are merged.
    case setContactMerge(Bool)
    /// Keeps settings of an app.
    case saveAppSettings(JSONValue)
    /// Tells the settings of an app; those given are the defaults.
    case appSettings(defaults: JSONValue?)
    /// Tells the version.
    case version
    /// Ends the core.
    case quit
    /// Locks that are held.
    case debugLocks
    /// Counts of subscriptions.
    case subscriptionsTotal(user: UserID)
    /// Statistics by server.
    case serversSummary(user: UserID)
    /// Sets the statistics to zero.
    case resetServersStatistics
    /// Subscriptions by server.
    case subscriptions(details: Bool = false)
    /// Workers of the agent.
    case workers(details: Bool = false)
    /// Queues of the agent.
    case queues
    /// Received events that were quarantined because processes crashed on them. Not a command of official cores.
    case quarantine(QuarantineCommand)
    /// A command of an extension: the text after `//`.
    case custom(String)
}

/// An operation on quarantined events.
public enum QuarantineCommand: Sendable, Hashable {
    /// Tells what there is.
    case list
    /// Receives an event as if it came now.
    case retry(QuarantinedEventID)
    /// Forgets an event.
    case drop(QuarantinedEventID)
}

extension CoreCommand {
    var commandString: String {
        switch self {
        case .start(true, true): "/_start"
        case .start(let main, let files):
            "/_start main=\(CommandText.flag(main)) snd_files=\(CommandText.flag(files))"
        case .checkRunning: "/_check running"
        case .stop: "/_stop"
        case .activate(let restore): "/_app activate restore=\(CommandText.flag(restore))"
        case .suspend(let timeout): "/_app suspend \(timeout)"
        case .connectionsDifference(let ids): "/_connections diff\(CommandText.option(" show_ids=", ids))"
        case .resubscribeAll: "/_resubscribe all"
        case .setTemporaryFolder(let path): "/_temp_folder \(path)"
        case .setFilesFolder(let path): "/_files_folder \(path)"
        case .setRemoteHostsFolder(let path): "/remote_hosts_folder \(path)"
        case .setFilePaths(let paths): "/set file paths \(CommandText.json(paths))"
        case .setEncryptLocalFiles(let on): "/_files_encrypt \(CommandText.flag(on))"
        case .setContactMerge(let on): "/contact_merge \(CommandText.flag(on))"
        case .saveAppSettings(let settings): "/_save app settings \(CommandText.json(settings))"
        case .appSettings(let defaults): "/_get app settings\(CommandText.json(defaults))"
        case .version: "/version"
        case .quit: "/quit"
        case .debugLocks: "/debug locks"
        case .subscriptionsTotal(let user): "/get subs total \(user)"
        case .serversSummary(let user): "/get servers summary \(user)"
        case .resetServersStatistics: "/reset servers stats"
        case .subscriptions(let details): "/get subs\(details ? " details" : "")"
        case .workers(let details): "/get workers\(details ? " details" : "")"
        case .queues: "/get queues"
        case .quarantine(.list): "/_quarantine"
        case .quarantine(.retry(let id)): "/_quarantine retry \(id)"
        case .quarantine(.drop(let id)): "/_quarantine drop \(id)"
        case .custom(let text): "//\(text)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_start main=") { r throws(CommandMismatch) in
            let main = try r.flag()
            return .core(.start(mainApp: main, sendFiles: r.flag(after: " snd_files=", default: main)))
        },
        CommandForm("/_start") { _ in .core(.start()) },
        CommandForm("/_check running") { _ in .core(.checkRunning) },
        CommandForm("/_stop") { _ in .core(.stop) },
        CommandForm("/_app activate restore=") { r throws(CommandMismatch) in .core(.activate(restoreChat: try r.flag())) },
        CommandForm("/_app activate") { _ in .core(.activate()) },
        CommandForm("/_app suspend ") { r throws(CommandMismatch) in .core(.suspend(timeout: try r.decimal())) },
        CommandForm("/_connections diff") { r in .core(.connectionsDifference(showIDs: r.flag(after: " show_ids="))) },
        CommandForm("/_resubscribe all") { _ in .core(.resubscribeAll) },
        CommandForm("/_temp_folder ") { r in .core(.setTemporaryFolder(r.rest())) },
        CommandForm("/_files_folder ", "/files_folder ") { r in .core(.setFilesFolder(r.rest())) },
        CommandForm("/remote_hosts_folder ") { r in .core(.setRemoteHostsFolder(r.rest())) },
        CommandForm("/set file paths ") { r throws(CommandMismatch) in .core(.setFilePaths(try r.json())) },
        CommandForm("/_files_encrypt ") { r throws(CommandMismatch) in .core(.setEncryptLocalFiles(try r.flag())) },
        CommandForm("/contact_merge ") { r throws(CommandMismatch) in .core(.setContactMerge(try r.flag())) },
        CommandForm("/_save app settings") { r throws(CommandMismatch) in .core(.saveAppSettings(try r.jsonObject())) },
        CommandForm("/_get app settings") { r throws(CommandMismatch) in
            if r.isAtEnd { return .core(.appSettings(defaults: nil)) }
            try r.expect(" ")
            return .core(.appSettings(defaults: try r.jsonObject()))
        },
        CommandForm("/version", "/v") { _ in .core(.version) },
        CommandForm("/quit", "/q", "/exit") { _ in .core(.quit) },
        CommandForm("/debug locks") { _ in .core(.debugLocks) },
        CommandForm("/get subs total ") { r throws(CommandMismatch) in .core(.subscriptionsTotal(user: try r.id())) },
        CommandForm("/get servers summary ") { r throws(CommandMismatch) in .core(.serversSummary(user: try r.id())) },
        CommandForm("/reset servers stats") { _ in .core(.resetServersStatistics) },
        CommandForm("/get subs") { r in .core(.subscriptions(details: r.skip(" details"))) },
        CommandForm("/get workers") { r in .core(.workers(details: r.skip(" details"))) },
        CommandForm("/get queues") { _ in .core(.queues) },
        CommandForm("/_quarantine retry ") { r throws(CommandMismatch) in .core(.quarantine(.retry(try r.id()))) },
        CommandForm("/_quarantine drop ") { r throws(CommandMismatch) in .core(.quarantine(.drop(try r.id()))) },
        CommandForm("/_quarantine") { _ in .core(.quarantine(.list)) },
        CommandForm("//") { r in .core(.custom(r.rest())) },
    ]
}

extension CommandReader {
    /// A JSON object, which must be all that is left.
    mutating func jsonObject() throws(CommandMismatch) -> JSONValue {
        let value = try json(JSONValue.self)
        guard value.objectValue != nil else { throw CommandMismatch() }
        return value
    }
}
