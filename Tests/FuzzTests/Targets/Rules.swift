import Foundation
import ParleyRules
import SMPWire

/// Files that people write.
extension FuzzTarget {
    static let bots = FuzzTarget("bots") {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../bots.yaml").standardized
        let text = try Data(contentsOf: file)
        return [Bytes(text)]
            + [
                "profiles: {a: {rules: [{when: {text: hi}, reply: 'hello {sender.name}'}]}}", "a: &a [*a]", "a: !!binary |\n  AAAA", "? [x]: y",
                "a: &a {b: 1}\n<<: *a", "profiles:\n  - name: x\n    name: y",
            ].map { Bytes($0.utf8) }
    } run: { input throws(FuzzFault) in
        do throws(BotsFileError) {
            let file = try BotsFile(parsing: input)
            _ = String(describing: file)
        } catch {
            // What is wrong is said with its place in the file.
            _ = error.description
        }
    }
}
