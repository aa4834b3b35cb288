import FoundationEssentials
public import SMPWire

/// The answer to the resolution of a name (simplex-messaging.md, "Name record response"). The JSON is passed on as it came, with whatever later
/// versions add.
public struct NameRecord: Hashable, Sendable {
    /// The most bytes of a record that a router accepts from its resolver: so it fits an answer through a proxy.
    public static let limit = 16_000

    /// The record as it was received, or made.
    public let json: Bytes
    /// The name.
    public var name: String { content.name }
    /// The name to show; empty if there is none.
    public var nickname: String { content.nickname }
    /// The address of a web page; empty if there is none.
    public var website: String { content.website }
    /// Where the owner is; empty if that is not said.
    public var location: String { content.location }
    /// Links of a contact, the first one to be preferred.
    public var contactLinks: [String] { content.simplexContact }
    /// Links of a channel, the first one to be preferred.
    public var channelLinks: [String] { content.simplexChannel }
    /// Addresses of crypto currencies, by `eth`, `btc`, `xmr` and `dot`.
    public var coins: [String: String] {
        [("eth", content.eth), ("btc", content.btc), ("xmr", content.xmr), ("dot", content.dot)]
            .reduce(into: [:]) { coins, coin in coins[coin.0] = coin.1 }
    }
    /// The owner's address in the registry: `0x` and 40 hexadecimal digits, as the resolver says.
    public var owner: String { content.owner }
    /// The address of the contract that holds the record, as the resolver says.
    public var resolver: String { content.resolver }

    private let content: Content

    private struct Content: Hashable, Sendable, Decodable {
        let name: String, nickname: String, website: String, location: String
        let simplexContact: [String], simplexChannel: [String]
        let eth: String?, btc: String?, xmr: String?, dot: String?
        let owner: String, resolver: String
    }

    /// Reads a record.
    ///
    /// - Throws: ``WireError`` if it is no JSON object, or lacks a member that a record must have.
    public init(json: Bytes) throws(WireError) {
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(json))
        } catch {
            throw WireError(.invalidValue, "the record of a name in JSON")
        }
        self.json = json
    }
}
