import SMPSimulation

@testable import SMPAgent

extension CrashPoint: StoreInterceptor {}
