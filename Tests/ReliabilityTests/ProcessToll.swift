import ProcessSupport

/// What the processes of a deployment have cost so far, those that were killed too.
struct ProcessToll: Sendable, CustomStringConvertible {
    private(set) var processes = 0
    private(set) var processorTime = Duration.zero
    /// The most resident memory of one process that is not of files, in bytes.
    private(set) var memory = 0

    /// Counts a process that is about to end.
    mutating func add(_ process: ChildProcess) {
        processes += 1
        processorTime += ProcessFigures.processorTime(of: process.id) ?? .zero
        memory = max(memory, ProcessFigures.privateMemory(of: process.id) ?? 0)
    }

    /// Whether it is what starting so often and exchanging so many messages may cost a debug build on a busy machine: a process that turns in
    /// circles while its peer is dead, or keeps what it should not, costs more.
    func isModest(messages: Int) -> Bool {
        processorTime < .seconds(2) * processes + .milliseconds(100) * messages && memory < 160 << 20
    }

    var description: String { "\(processes) processes used \(processorTime) of processor time and \(memory >> 20) MB at the most" }
}
