internal import ChatAPI
internal import Hosting

/// The core of a data folder, as a command uses it.
struct CoreAccess: Sendable {
    let core: any ChatCore
    /// True if another process runs bots on the folder, and the core is that one's.
    let isShared: Bool
    /// True if the router of the profiles ends with this process.
    let runsRouter: Bool
    /// The folder that paths of received files are relative to; nil for none.
    let filesFolder: String?

    private init(_ host: CoreHost) {
        core = host.core
        isShared = false
        runsRouter = host.runsRouter
        filesFolder = host.filesFolder
    }

    private init(_ running: RunningHost) {
        core = running.core
        isShared = true
        runsRouter = false
        filesFolder = running.filesFolder
    }

    /// Begins to send and receive.
    func start() async throws(ChatCoreError) {
        if !isShared { _ = try await core.send(.core(.start()), as: nil) }
    }

    /// Opens a data folder for the time of `body` or, if bots run on it, uses the core of their process.
    ///
    /// - Throws: ``HostError`` `dataFolderInUse` if another process uses the folder and does not answer at its socket.
    static func with(_ configuration: HostConfiguration, _ body: @Sendable (CoreAccess) async throws -> Void) async throws {
        var configuration = configuration
        // A person says when keys are agreed on: what is written meanwhile is refused at once.
        configuration.synchronizesConnections = false
        do {
            return try await CoreHost.with(configuration) { try await body(CoreAccess($0)) }
        } catch let error as HostError where error.code == .dataFolderInUse {
            guard let running = await RunningHost.connect(configuration.data) else { throw error }
            do {
                try await body(CoreAccess(running))
                await running.close()
            } catch {
                await running.close()
                throw error
            }
        }
    }
}
