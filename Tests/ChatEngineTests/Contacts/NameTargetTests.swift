import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import SMPProtocol
import SMPSimulation
import SMPWire
import Testing

@testable import ChatEngine

/// Names such as `@ann.simplex` in place of links.
@Suite struct NameTargetTests {
    private let scene = NameScene()
    private var simulator: ConnectionSimulator { scene.simulator }

    private func open(_ name: String, claiming domain: String? = nil) async throws -> TestCore { try await scene.open(name, claiming: domain) }

    private func address(of core: TestCore) async throws -> String { try await scene.address(of: core) }

    private func plan(_ target: String, _ core: TestCore) async -> JSONValue { await core.answer("/_connect plan 1 \(target)") }

    @Test func aNameLeadsToItsOwnerAsItsLinkDoes() async throws {
        let ann = try await open("ann", claiming: "ann.simplex"), bob = try await open("bob")
        let link = try await address(of: ann)
        try simulator.register(name: "ann.simplex", contacts: ["no link", "https://simplex.chat/invitation", link])
        for target in ["@ann.simplex", "@ANN.simplex", "simplex:/name@ann.simplex"] {
            let answer = await plan(target, bob)
            #expect(answer["connLink"]?["connShortLink"]?.stringValue == link, "\(target): \(answer.text)")
            #expect(answer["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok")
            #expect(answer["planSimplexName"] == ["nameType": "contact", "nameDomain": ["nameTLD": "simplex", "domain": "ann", "subDomain": []]])
        }
        #expect(await plan(link, bob)["planSimplexName"] == nil, "no name was asked for")
        #expect(await plan("@ann.simplex", ann)["connectionPlan"]?["contactAddressPlan"]?["type"] == "ownLink")

        #expect(await bob.answer("/c @ann.simplex")["type"] == "startedConnectionToContact")
        let isAsked = await ann.wait { events in events.contains { if case .receivedContactRequest = $0 { true } else { false } } }
        #expect(isAsked)
        #expect(await plan("@ann.simplex", bob)["connectionPlan"]?["contactAddressPlan"]?["type"] != "ok", "it has been asked")
        for core in [ann, bob] { await core.close() }
    }

    @Test func aNameThatLeadsNowhereIsATypedError() async throws {
        let ann = try await open("ann", claiming: "ann.simplex"), bob = try await open("bob")
        let link = try await address(of: ann)
        for (name, contacts, channels) in [
            ("ann.simplex", [link], []), ("empty.simplex", [], []), ("odd.simplex", ["x", "simplex:/contact#y"], [link]), ("thief.simplex", [link], [link]),
        ] as [(String, [String], [String])] {
            try simulator.register(name: name, contacts: contacts, channels: channels)
        }
        let unknown = await plan("@nobody.simplex", bob)["chatError"]?["agentError"]
        #expect(unknown?["type"] == "SMP" && unknown?["smpErr"]?["nameErr"]?["type"] == "NOT_FOUND")
        for (target, reason) in [
            ("@empty.simplex", "noValidLink"), ("@odd.simplex", "noValidLink"), ("#ann.simplex", "noValidLink"), ("#odd.simplex", "noValidLink"),
            // Anybody can register a name for somebody else's link.
            ("@thief.simplex", "unknownDomain"),
        ] {
            let name = String(target.dropFirst().prefix { $0 != "." })
            for answer in [await plan(target, bob), await bob.answer("/connect \(target)")] {
                let error = answer["chatError"]?["errorType"]
                #expect(error?["type"] == "simplexDomainNotReady" && error?["simplexDomainError"]?["type"]?.stringValue == reason, "\(target): \(answer.text)")
                #expect(error?["simplexDomain"]?["domain"]?.stringValue == name)
            }
        }
        for target in ["@", "@ann", "#", "@-a.simplex", "@ann..simplex", "simplex:/name@"] {
            #expect(await plan(target, bob)["chatError"]?["errorType"]?["type"] == "invalidConnReq", "\(target)")
        }
        for core in [ann, bob] { await core.close() }
    }

    @Test func whereNothingIsToBeLookedUpOnlyWhatIsKnownHasAPlan() async throws {
        let ann = try await open("ann", claiming: "ann.simplex"), bob = try await open("bob")
        let link = try await address(of: ann)
        try simulator.register(name: "ann.simplex", contacts: [link])
        for target in ["@ann.simplex", link] {
            #expect(await plan("\(target) resolve=never", bob)["chatError"]?["errorType"]?["type"] == "notResolvedLocally", "\(target)")
        }
        #expect(await plan("\(link) resolve=never", ann)["connectionPlan"]?["contactAddressPlan"]?["type"] == "ownLink")
        for core in [ann, bob] { await core.close() }
    }
}
