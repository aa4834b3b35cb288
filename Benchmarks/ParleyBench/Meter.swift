import OfficialPeers
import ProcessSupport

extension Duration {
    /// The processor time that some processes have used so far.
    init(processorTimeOf processes: [ChildProcess?]) {
        self = processes.compactMap(\.self).compactMap { ProcessFigures.processorTime(of: $0.id) }.reduce(.zero, +)
    }
}
