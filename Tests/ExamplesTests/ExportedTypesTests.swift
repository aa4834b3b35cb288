import Parley
import Testing

/// A package imports one module to name what handlers are given.
@Suite struct ExportedTypesTests {
    @Test func theTypesOfHandlersAreNamedWithOneImport() {
        let roles: [GroupMemberRole] = [.observer, .member, .moderator, .admin, .owner]
        let rule = JoinerRule(withoutImage: true, decision: .pendingApproval(role: .observer))
        let content: MessageContent = .text("hello")
        func group(_ id: GroupID) -> ChatReference { .group(id) }
        func name(_ member: GroupMember, _ contact: Contact, _ item: ChatItem, _ info: GroupInfo, _ error: ChatCoreError) -> [String] {
            [member.localDisplayName, contact.localDisplayName, item.meta.text, info.localDisplayName, error.code.rawValue]
        }
        #expect(roles.sorted() == roles && rule != JoinerRule(nameLongerThan: 40, decision: .accept(role: nil)) && content.text == "hello")
        #expect("\(group(7))" == "#7")
    }
}
