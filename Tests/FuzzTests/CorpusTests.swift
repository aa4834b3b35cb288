import SMPWire
import Testing

/// Everything that a fuzzer found worth keeping, and all recordings, once more.
@Suite struct CorpusTests {
    @Test("What was found before stays mended", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Corpus.inputs(target)
        #expect(inputs.count > 10, "a corpus that was forgotten")
        for input in inputs { run(target, input) }
    }

    @Test("Recordings of the official implementation", arguments: FuzzTarget.all.map(\.name))
    func seeds(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        for input in Set(try target.seeds()) where input.count <= target.maximumLength { run(target, input) }
    }

    private func run(_ target: FuzzTarget, _ input: Bytes) {
        do {
            try target.run(input)
        } catch {
            Issue.record("\(target.name), input \(FuzzFault.hex(input)): \(error)")
        }
    }

    @Test func targetsHaveNamesOfTheirOwn() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }
}
