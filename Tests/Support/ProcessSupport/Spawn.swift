import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Starting a program with exactly three open files.
///
/// `Process` of Foundation lets other open files slip into a child, and takes a child for alive while anyone holds one of them: with
/// several programs at once, none of them ever seems to end.
enum Spawn {
    /// Held while a child is made, which has what is open here until it closes that.
    private static let lock = Mutex(())
    /// Typing to a program that has ended is an error to be told, not the end of this process.
    private static let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// The headers have it only for GNU's own C.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }

    /// Starts a program with default signal handling.
    ///
    /// - Parameters:
    ///   - folder: the folder that it works in; nil is that of this process.
    ///   - files: descriptors that become its standard input, output and error.
    ///   - ends: those of them that are ends of pipes, which are closed here once the program has them. A program that is started at the
    ///     same time holds them until it is loaded: were they closed later, this one's pipe could seem to be read when it has ended.
    /// - Returns: its process id.
    static func start(
        _ path: String, _ arguments: [String], environment: [String: String], in folder: String? = nil, files: [Int32], closing ends: [FileHandle]
    ) throws(PeerError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() { posix_spawn_file_actions_adddup2(&actions, file, Int32(number)) }
        // Not all libraries mark their sockets as none of a child's. One that had them would hold a port that was given back, and keep a
        // connection open that is torn down here.
        guard let closeFrom = Self.closeFrom else { throw PeerError(.launch, "a C library of 2021 or later is needed") }
        _ = closeFrom(&actions, Int32(files.count))

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner in the background ignores interrupts, which is how the official routers are asked to save their state.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        // A shell changes to the folder and becomes the program: `posix_spawn` itself has no portable way.
        let command = folder.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0, path] } ?? [path]
        var words: [UnsafeMutablePointer<CChar>?] = (command + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var id = pid_t()
        let result = lock.withLock { _ in
            defer { for end in ends { try? end.close() } }
            return posix_spawn(&id, command[0], &actions, &attributes, &words, &variables)
        }
        guard result == 0 else { throw PeerError(.launch, "\(path) could not be started: \(String(cString: strerror(result)))") }
        return id
    }

    /// The two ends of a pipe.
    static func pipe() throws(PeerError) -> (reading: FileHandle, writing: FileHandle) {
        brokenPipesAreErrors
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw PeerError(.launch, "no pipe: \(String(cString: strerror(errno)))") }
        return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    }
}
