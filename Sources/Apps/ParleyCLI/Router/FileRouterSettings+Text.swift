internal import RouterSupport

extension FileRouterSettings {
    static func text(of file: RouterFile<Self>) -> String {
        """
        # Whether clients may upload files here, and the file with the password that they must know for it.
        new-files: \(file.allowsCreation)
        \(file.passwordLine)

        # Bytes of all files at most (500mb, 20gb, 2tb), or unlimited: as much as the disk takes.
        \(file.quota.map { "quota: \(ByteCount.text($0))" } ?? "# quota: unlimited")
        # Files are deleted after so many hours (or never).
        # file-hours: 48

        # A piece of a file is on the disk before it is accepted. What is known of it is as well with `always`; with a time (10ms to 60s) it
        # survives the end of the process, and is put on the disk once in this time.
        fsync: \(file.fsync.argument)

        # Bounds for the whole router: pieces of files, recipients of all of them (210 bytes of memory each), requests that are answered at a
        # time (384 KiB of memory each at most; an eighth of them may come from one address), connections.
        # files: 1000000
        # recipients: 4000000
        # requests: 2048
        # connections: 5000
        # Bounds for one address (a /64 of IPv6), which many people may share behind Tor or an address translator; or unlimited: connections
        # at once, and pieces announced in an hour. Clients on this machine itself have none.
        # connections-per-address: 200
        # files-per-address: 10000
        # Connections in their TLS handshake at once, of which the oldest gives way to a new one, and the seconds that a handshake may take.
        # handshakes: 1000
        # handshake-seconds: 30
        # The seconds in which a piece (4 MiB at most) must be transferred, and the hours after which a silent client is disconnected.
        # transfer-seconds: 300
        # idle-hours: 6
        """
    }
}
