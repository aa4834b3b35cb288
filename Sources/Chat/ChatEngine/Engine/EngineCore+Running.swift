import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Logging
import SMPAgent
import Synchronization

// Starting and stopping. A core that is stopped still takes commands; what they send waits in the store.

extension EngineCore {
    /// Begins to send and receive, with what an earlier run left behind first.
    ///
    /// - Returns: false if the core was running.
    @discardableResult
    func start() async throws(ChatCoreError) -> Bool {
        try checkOpen()
        try checkStoreUnchanged()
        guard
            running.withLock({ running in
                defer { running.isRunning = true }
                return !running.isRunning
            })
        else { return false }
        do {
            try await arrange()
            if running.withLock({ $0.receiver }) == nil {
                try await agent { agent throws(AgentFault) in try await agent.start() }
            } else {
                await agent.resume()
            }
            // New queues are to be made on the servers of now.
            for work in try await clerk.start() where work.task == .setServers { await clerk.attempt(at: work.id) }
        } catch {
            running.withLock { $0.isRunning = false }
            throw ChatCoreError(thrown: error)
        }
        running.withLock { running in
            guard running.receiver == nil else { return }
            let receiver = Receiver(core: self)
            running.receiver = Task { await receiver.run() }
        }
        courier.start()
        timer.start()
        let agent = agent
        Task { await agent.subscribeAll() }
        return true
    }

    /// Stops sending and receiving.
    func stop() async {
        guard
            running.withLock({ running in
                defer { running.isRunning = false }
                return running.isRunning
            })
        else { return }
        timer.stop()
        courier.stop()
        clerk.stop()
        await agent.suspend(timeout: .zero)
    }

    /// Goes on sending and receiving after the agent was suspended, with what was written meanwhile.
    func activate() async {
        await agent.resume()
        if isRunning { courier.start() }
    }

    /// Refuses to go on when the core is closed.
    func checkOpen() throws(ChatCoreError) {
        guard !isClosed else { throw ChatCoreError(.closed, "The core is closed.") }
    }

    /// Ends everything; the core cannot be started again. Calling it twice is harmless.
    func close() async {
        let isFirst = running.withLock { running in
            defer { running.isClosed = true }
            return !running.isClosed
        }
        guard isFirst else { return }
        await stop()
        store.stopWaitingForDisk()
        await agent.close()
        await running.withLock { $0.receiver }?.value
        do {
            try await store.close()
        } catch {
            logger.error("the store could not be closed", metadata: ["error": "\(error.code)"])
        }
        hub.finish()
        untie()
    }
}
