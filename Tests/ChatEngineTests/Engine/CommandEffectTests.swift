import ChatAPI
import ChatProtocol
import Foundation
import TestSupport
import Testing

@testable import ChatEngine

/// No command says yes without doing something.
@Suite struct CommandEffectTests {
    @Test func foldersForFilesAreMadeWhenTheyAreNamed() async throws {
        let folder = try TemporaryFolder(), core = try await TestWorld().core("alice")
        _ = try await core.run("/_files_folder \(folder.path)/files")
        _ = try await core.run("/_temp_folder \(folder.path)/a/b")
        let paths = AppFilePaths(filesFolder: folder.path + "/1", temporaryFolder: folder.path + "/2", assetsFolder: folder.path + "/3")
        _ = try await core.send(.core(.setFilePaths(paths)))
        for name in ["files", "a/b", "1", "2", "3"] { #expect(FileManager.default.fileExists(atPath: folder.path + "/" + name), "\(name)") }
        let answer = await core.answer("/_files_folder /dev/null/files")
        #expect(answer["chatError"]?["errorType"]?["type"] == "commandError", "\(answer.text)")
        await core.close()
    }

    @Test func whatWouldHaveNoEffectIsRefused() async throws {
        let core = try await TestWorld().core("alice")
        let answer = await core.answer("/set device name desktop")
        #expect(answer["chatError"]?["errorType"]?["message"]?.stringValue?.hasSuffix("not supported by this core yet") == true, "\(answer.text)")
        await core.close()
    }

    @Test(arguments: ["/_files_encrypt off", "/_files_encrypt on", "/contact_merge off", "/contact_merge on"])
    func whatIsSoAlreadyIsAccepted(_ command: String) async throws {
        let core = try await TestWorld().core("alice")
        #expect(try await core.run(command) == .cmdOk(user: nil))
        await core.close()
    }

    @Test(arguments: ["/_leave #9", "/_send #9 text hello", "/_get chat #9 count=1", "/members team", "/_members #9"])
    func aGroupThatIsNotThereIsNotFound(_ command: String) async throws {
        let core = try await TestWorld().core("alice")
        let error = await #expect(throws: ChatCoreError.self) { _ = try await core.run(command) }
        #expect(error?.chatError?.json["storeError"]?["type"]?.stringValue?.hasPrefix("groupNotFound") == true)
        await core.close()
    }

    @Test func notesCanBeAFavourite() async throws {
        let core = try await TestWorld().core("alice")
        _ = try await core.run(#"/_settings *1 {"enableNtfs":"all","favorite":true}"#)
        guard case .apiChat(_, let chat, _) = try await core.run("/_get chat *1 count=1"), case .local(let folder) = chat.chatInfo else {
            throw UnexpectedAnswer()
        }
        #expect(folder.isFavorite)
        await core.close()
    }
}
