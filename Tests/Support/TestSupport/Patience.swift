import Foundation

/// How long tests wait for what another process must do.
package enum Patience {
    /// 60 seconds, or as many as the environment variable `PARLEY_TEST_PATIENCE` says if those are more: machines and their disks stand still now and then.
    package static let limit = Duration.seconds(
        max(60, ProcessInfo.processInfo.environment["PARLEY_TEST_PATIENCE"].flatMap { Int($0) }.map { min($0, 3_600) } ?? 0))
}
