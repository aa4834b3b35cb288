public import ChatProtocol

/// Commands about controlling between devices, and about push notifications.
public enum DeviceCommand: Sendable, Hashable {
    /// Names this device.
    case setName(String)
    /// Devices that this core controls.
    case hosts
    /// Waits for a device to be controlled, new or known. `address` is the network address to use.
    case startHost(KnownHost?, address: String? = nil, port: UInt16? = nil)
    /// Sends commands to a device; nil to this core.
    case switchHost(Int64?)
    /// Ends controlling a device; nil for the awaited device.
    case stopHost(Int64?)
    /// Forgets a device.
    case deleteHost(Int64)
    /// Puts a file on a device.
    case storeFile(host: Int64, encrypt: Bool? = nil, path: String)
    /// Gets a file from a device.
    case getFile(host: Int64, JSONValue)
    /// Connects this core to a device that will control it, by its invitation.
    case connectController(String)
    /// Looks for devices that are known.
    case findController
    /// Confirms a device that was found.
    case confirmController(Int64)
    /// Compares the code of the session.
    case verifyController(code: String)
    /// Devices that control this core.
    case controllers
    /// Ends being controlled.
    case stopController
    /// Forgets a device.
    case deleteController(Int64)
    /// Tells the push token.
    case notificationToken
}

/// A device that was controlled before.
public struct KnownHost: Sendable, Hashable {
    /// Its id.
    public var id: Int64
    /// True if it is looked for on the network.
    public var multicast: Bool

    /// Names a device.
    public init(id: Int64, multicast: Bool = false) {
        self.id = id
        self.multicast = multicast
    }
}

extension DeviceCommand {
    var commandString: String {
        switch self {
        case .setName(let name): "/set device name \(name)"
        case .hosts: "/list remote hosts"
        case .startHost(let host, let address, let port):
            "/start remote host " + (host.map { "\($0.id)\(CommandText.option(" multicast=", $0.multicast))" } ?? "new")
                + (address.map { " \($0)" } ?? "") + (port.map { " port=\($0)" } ?? "")
        case .switchHost(let id): "/switch remote host \(id.map { String($0) } ?? "local")"
        case .stopHost(let id): "/stop remote host \(id.map { String($0) } ?? "new")"
        case .deleteHost(let id): "/delete remote host \(id)"
        case .storeFile(let host, let encrypt, let path):
            "/store remote file \(host)\(CommandText.option(" encrypt=", encrypt)) \(path)"
        case .getFile(let host, let file): "/get remote file \(host) \(CommandText.json(file))"
        case .connectController(let invitation): "/connect remote ctrl \(invitation)"
        case .findController: "/find remote ctrl"
        case .confirmController(let id): "/confirm remote ctrl \(id)"
        case .verifyController(let code): "/verify remote ctrl \(code)"
        case .controllers: "/list remote ctrls"
        case .stopController: "/stop remote ctrl"
        case .deleteController(let id): "/delete remote ctrl \(id)"
        case .notificationToken: "/_ntf get"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/set device name ") { r in .devices(.setName(r.rest())) },
        CommandForm("/list remote hosts") { _ in .devices(.hosts) },
        CommandForm("/start remote host ") { r throws(CommandMismatch) in
            var host: KnownHost?
            if !r.skip("new") { host = KnownHost(id: try r.decimal(), multicast: r.flag(after: " multicast=")) }
            let address = r.optional(" ") { r throws(CommandMismatch) in try r.controllerAddress() }
            let port = r.optional(" port=") { r throws(CommandMismatch) in UInt16(clamping: try r.decimal()) }
            return .devices(.startHost(host, address: address, port: port))
        },
        CommandForm("/switch remote host ") { r throws(CommandMismatch) in
            .devices(.switchHost(r.skip("local") ? nil : try r.decimal()))
        },
        CommandForm("/stop remote host ") { r throws(CommandMismatch) in
            .devices(.stopHost(r.skip("new") ? nil : try r.decimal()))
        },
        CommandForm("/delete remote host ") { r throws(CommandMismatch) in .devices(.deleteHost(try r.decimal())) },
        CommandForm("/store remote file ") { r throws(CommandMismatch) in
            let host = try r.decimal()
            let encrypt = r.optional(" encrypt=") { r throws(CommandMismatch) in try r.flag() }
            try r.expect(" ")
            return .devices(.storeFile(host: host, encrypt: encrypt, path: r.rest()))
        },
        CommandForm("/get remote file ") { r throws(CommandMismatch) in
            .devices(.getFile(host: try r.decimalSpace(), try r.jsonObject()))
        },
        CommandForm("/connect remote ctrl ", "/crc ") { r throws(CommandMismatch) in
            let invitation = r.word()
            guard invitation.hasPrefix("xrcp:/") else { throw CommandMismatch() }
            return .devices(.connectController(invitation))
        },
        CommandForm("/find remote ctrl") { _ in .devices(.findController) },
        CommandForm("/confirm remote ctrl ") { r throws(CommandMismatch) in .devices(.confirmController(try r.decimal())) },
        CommandForm("/verify remote ctrl ") { r in .devices(.verifyController(code: r.rest())) },
        CommandForm("/list remote ctrls") { _ in .devices(.controllers) },
        CommandForm("/stop remote ctrl") { _ in .devices(.stopController) },
        CommandForm("/delete remote ctrl ") { r throws(CommandMismatch) in .devices(.deleteController(try r.decimal())) },
        CommandForm("/_ntf get") { _ in .devices(.notificationToken) },
    ]
}

extension CommandReader {
    /// `addr=192.168.0.1 iface=eth0`.
    fileprivate mutating func controllerAddress() throws(CommandMismatch) -> String {
        try expect("addr=")
        let address = word()
        try expect(" iface=")
        return "addr=\(address) iface=\(word())"
    }
}
