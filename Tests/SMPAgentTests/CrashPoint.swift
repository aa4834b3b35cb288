import SMPSimulation

@testable import SMPAgent

extension CrashPoint: StoreInterceptor {}

/// The end of a process, and a disk that refuses something before.
struct StoreFaults: StoreInterceptor {
    let crash: CrashPoint
    let disk: RefusingDisk

    func willWrite() throws {
        try crash.willWrite()
        try disk.willWrite()
    }

    func didWrite() throws { try crash.didWrite() }
}
