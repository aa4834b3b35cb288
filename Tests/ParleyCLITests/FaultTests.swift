import ChatAPI
import ChatProtocol
import EncryptedSQLite
import Foundation
import Parley
import Testing

@testable import ParleyCLI

@Suite struct FaultTests {
    @Test func anErrorKeepsItsCodeAndSaysHowToMendIt() throws {
        let locked = Fault(StorageError(.locked, "stop the other one"))
        #expect(locked.code == "storage.locked")
        #expect(locked.message == "stop the other one")
        #expect(locked.exitCode == 1)
        #expect(Fault(ChatCoreError(.store(error: .userContactLinkNotFound))).code == "errorStore.userContactLinkNotFound")
        #expect(Fault(ChatLine.Fault(message: "no")).code == "badInput")
    }

    @Test func onlyWhatWasGivenWrongEndsWithCode2() {
        #expect(Fault(HostError(.serverAddress, "no address")).exitCode == 2)
        #expect(Fault(ChatCoreError(.chat(error: .invalidConnectionRequest))).exitCode == 2)
        #expect(Fault(HostError(.portInUse, "in use")).exitCode == 1)
        #expect(Fault(Outcome.BadInput(description: "what?")).exitCode == 2)
        #expect(Fault(Outcome.Failed("a.b", description: "no")).exitCode == 1)
        #expect(Fault(CancellationError()).code == "failed")
    }

    @Test func aScriptGetsItAsOneLineOfJSON() throws {
        let line = Fault(Outcome.Failed("a.b", description: "two\nlines \"quoted\"")).json.text
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object == ["event": "error", "code": "a.b", "message": "two\nlines \"quoted\""])
    }
}
