import Foundation
import SMPWire
import TestSupport
import Testing

/// A search without a fuzzer's instrumentation, in the tests that are built anyway: inputs changed by chance that follows from a seed.
///
/// `PARLEY_FUZZ_SECONDS` says for how long each target is searched (`make mutate`); without it a few hundred inputs are tried. `PARLEY_SEED` is
/// where chance begins, drawn and printed if it is not set. `PARLEY_FUZZ_TRACE` names a folder in which each target leaves the input that it has
/// begun with: after a crash it is the one to blame.
@Suite struct MutationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed: UInt64 = {
        let seed = environment["PARLEY_SEED"].flatMap { UInt64($0) } ?? UInt64(UInt32.random(in: .min ... .max))
        // Not printed: that waits in a buffer, which a crash loses.
        FileHandle.standardError.write(Data("fuzz: PARLEY_SEED=\(seed)\n".utf8))
        return seed
    }()
    private static let seconds = environment["PARLEY_FUZZ_SECONDS"].flatMap { Double($0) }
    private static let trace = environment["PARLEY_FUZZ_TRACE"].map { URL(fileURLWithPath: $0) }
    /// Inputs of a target if no time is given.
    private static let few = 300

    @Test("Inputs changed by chance break nothing", arguments: FuzzTarget.all.map(\.name))
    func search(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = (try Corpus.inputs(target) + target.seeds()).filter { $0.count <= target.maximumLength }
        // Each target has a chance of its own, and the same whichever targets are searched.
        let own = name.utf8.reduce(Self.seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var mutator = Mutator(seed: own, maximumLength: target.maximumLength)
        let end = Self.seconds.map { ContinuousClock.now + .seconds($0) }
        var count = 0
        while end.map({ ContinuousClock.now < $0 }) ?? (count < Self.few) {
            let input = mutator.mutate(inputs[mutator.number(below: inputs.count)], with: inputs[mutator.number(below: inputs.count)])
            try Self.trace.map { try Data(input).write(to: $0.appendingPathComponent(name)) }
            count += 1
            do {
                try target.run(input)
            } catch {
                Issue.record("\(name), PARLEY_SEED=\(Self.seed), input \(count), \(FuzzFault.hex(input)): \(error)")
                return
            }
        }
        if end != nil { FileHandle.standardError.write(Data("fuzz: \(name): \(count) inputs\n".utf8)) }
    }

    @Test("A seed leads to the same inputs again")
    func repeatable() {
        var one = Mutator(seed: 7, maximumLength: 100), other = Mutator(seed: 7, maximumLength: 100)
        let input = Bytes(#"{"ttl":60,"x":[1,-2.5]}"#.utf8)
        for _ in 0..<100 {
            let mutated = one.mutate(input, with: input)
            #expect(mutated == other.mutate(input, with: input))
            #expect(mutated.count <= 100)
        }
    }

    @Test("Numbers are found where they stand, and brought to their ends")
    func numbers() {
        let text = #"{"a1":-12.5,"b":[0,7e3],"c":"x9"} @4 count=100"#
        let found = ExtremeNumbers.ranges(in: Bytes(text.utf8)).map { String(decoding: Bytes(text.utf8)[$0], as: UTF8.self) }
        #expect(found == ["-12.5", "0", "4", "100"])
        #expect(ExtremeNumbers.replacements(in: "@4 count=100", by: ["9"]) == ["@9 count=100", "@4 count=9"])
        var mutator = Mutator(seed: 1, maximumLength: 1_000)
        var seen: Set<String> = []
        for _ in 0..<3_000 {
            let mutated = String(decoding: mutator.mutate(Bytes(#"{"ttl":60}"#.utf8), with: []), as: UTF8.self)
            seen.formUnion(ExtremeNumbers.texts.filter { mutated.contains("\"ttl\":\($0)}") })
        }
        #expect(seen.count > ExtremeNumbers.texts.count / 2)
    }
}
