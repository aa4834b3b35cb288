import Foundation
import OfficialPeers
import ProcessSupport
import Testing

/// Parley with the official programs, on loopback: what issue lists call "seen".
///
/// It runs where the environment variable `SIMPLEX_PEERS` names a folder with the official programs, and prints a table of what worked.
@Suite(
    .enabled(if: PeerProgram.simplexChat.isInstalled && PeerProgram.smpServer.isInstalled, "SIMPLEX_PEERS names no folder with simplex-chat and smp-server"),
    .enabled(if: ParleyProgram.isBuilt, "the executable parley was not built"),
    .outcomes, .timeLimit(.minutes(5)))
struct Interop {}
