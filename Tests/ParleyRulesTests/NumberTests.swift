import ParleyRules
import TestSupport
import Testing

@Suite("Numbers in bots.yaml at their ends") struct NumberTests {
    private func fault(_ text: String) -> String? {
        do {
            _ = try BotsFile(parsing: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("the version is the one that there is, however large the number", arguments: ExtremeNumbers.texts)
    func version(_ text: String) {
        let fault = fault("parley: \(text)\nprofiles: {a: {}}")
        #expect((fault == nil) == (text == "1"), "\(fault ?? "taken")")
    }

    @Test("times of the network are within their bounds", arguments: ExtremeNumbers.texts + ["3600", "3601", "10", "9", "60000", "60001"])
    func times(_ text: String) {
        for (key, range) in [("tcp-timeout", 1...3600), ("retry-pause", 10...60_000)] {
            let number = ExtremeNumbers.isDecimal(text) ? NumberOracle.integer(text, Int.self) : nil
            let fault = fault("parley: 1\nnetwork: {\(key): \(text)}\nprofiles: {a: {}}")
            #expect((fault == nil) == (number.map(range.contains) ?? false), "\(key): \(text): \(fault ?? "taken")")
        }
    }
}
