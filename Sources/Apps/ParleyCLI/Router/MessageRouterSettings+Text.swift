internal import RouterSupport

extension MessageRouterSettings {
    static func text(of file: RouterFile<Self>) -> String {
        """
        # Whether clients may create queues here, and the file with the password that they must know for it (and to use the proxy).
        new-queues: \(file.allowsCreation)
        \(file.passwordLine)
        # Whether the router passes on what clients send to other routers, so that those do not learn the clients' addresses.
        proxy: \(file.allowsProxying)
        # How many other routers it is connected to for that, and whether these may be on this machine and in private networks (10.x.x.x,
        # 192.168.x.x …): strangers could look around there. What holds without it: true if `bind` is this machine only, else false.
        # relays: 1000
        # allow-private-relays: false
        # Who resolves names (@ann.simplex) for clients: a program on this machine or in a private network that answers
        # GET /resolve/NAME with a record in JSON. Without it, the router says that it resolves none.
        # name-resolver: http://127.0.0.1:8000

        # always: a message is acknowledged when it is on the disk, and survives a loss of power.
        # 1s (10ms to 60s): it is acknowledged when it survives the end of the process, and is put on the disk once in this time.
        fsync: \(file.fsync.argument)

        # Messages that wait in a queue at most, and for how many days (or never: they stay).
        # message-quota: 128
        # message-days: 21
        # Queues that nobody has sent to or received from for so many days are deleted. A client that comes back after that has lost them.
        # queue-days: never
        # Bounds for the whole router, and after how many hours a silent client without subscriptions is disconnected.
        # queues: 1000000
        # connections: 20000
        # Bounds for one address (a /64 of IPv6), which many people may share behind Tor or an address translator; or unlimited: connections
        # at once, and queues created in an hour. Clients on this machine itself have none.
        # connections-per-address: 2000
        # queues-per-address: 10000
        # Connections in their TLS handshake at once, of which the oldest gives way to a new one, and the seconds that a handshake may take.
        # handshakes: 2000
        # handshake-seconds: 30
        # idle-hours: 6
        """
    }
}
