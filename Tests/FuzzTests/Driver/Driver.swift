import Foundation
import SMPWire

// libFuzzer's own main function would take the place of this program's: its driver is called instead.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_silgen_name("LLVMFuzzerMutate")
private func mutateAnyhow(_ data: UnsafeMutablePointer<UInt8>?, _ count: Int, _ maximum: Int) -> Int

/// Half of the inputs are changed by libFuzzer, which knows nothing of numbers, and half by the mutator that does.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>?, _ count: Int, _ maximum: Int, _ seed: UInt32) -> Int {
    guard let data, seed & 1 == 1, maximum > 0 else { return mutateAnyhow(data, count, maximum) }
    var mutator = Mutator(seed: UInt64(seed), maximumLength: maximum)
    let input = Bytes(UnsafeBufferPointer(start: data, count: count))
    let mutated = mutator.mutate(input, with: input)
    _ = UnsafeMutableBufferPointer(start: data, count: mutated.count).update(fromContentsOf: mutated)
    return mutated.count
}

/// Searches for inputs that break the target which `PARLEY_FUZZ_TARGET` names. The command line is libFuzzer's.
///
/// `PARLEY_FUZZ_UNPACK` and `PARLEY_FUZZ_PACK` name a folder: the first fills it with the corpus and the recordings, the second makes the
/// corpus of what is in it. With `PARLEY_FUZZ_LENGTH` the longest input's length is printed.
@main struct Driver {
    static let target: FuzzTarget? = {
        let name = ProcessInfo.processInfo.environment["PARLEY_FUZZ_TARGET"] ?? ""
        return FuzzTarget.all.first { $0.name == name }
    }()

    static func main() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let target else {
            print("PARLEY_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
            exit(2)
        }
        if environment["PARLEY_FUZZ_LENGTH"] != nil { return print(target.maximumLength) }
        if let folder = environment["PARLEY_FUZZ_UNPACK"] { return try unpack(target, to: URL(fileURLWithPath: folder)) }
        if let folder = environment["PARLEY_FUZZ_PACK"] { return try pack(target, from: URL(fileURLWithPath: folder)) }
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { start, count in
                do {
                    try Driver.target?.run(Bytes(UnsafeBufferPointer(start: start, count: count)))
                } catch {
                    // Not printed: what is printed waits in a buffer, and is lost at the end.
                    FileHandle.standardError.write(Data("FAULT: \(error)\n".utf8))
                    abort()
                }
                return 0
            })
    }

    private static func unpack(_ target: FuzzTarget, to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let kept = FileManager.default.fileExists(atPath: Corpus.file(target).path) ? try Corpus.inputs(target) : []
        for (number, input) in (kept + (try target.seeds())).enumerated() {
            try Data(input.prefix(target.maximumLength)).write(to: folder.appendingPathComponent("\(number)"))
        }
    }

    private static func pack(_ target: FuzzTarget, from folder: URL) throws {
        let inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
            try Data(contentsOf: folder.appendingPathComponent(name))
        }
        let lines = Set(inputs.filter { !$0.isEmpty }.map { FuzzFault.hex($0) }).sorted { ($0.count, $0) < ($1.count, $1) }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Corpus.file(target))
        print("\(target.name): \(lines.count) inputs kept")
    }
}
