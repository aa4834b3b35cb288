import SMPCrypto
package import SMPWire

/// The secret that clients of the API present.
package struct SocketToken: Sendable {
    /// The reason why a text is no token.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Characters of a token at least and at most.
    static let sizes = 16...1024

    private let secret: SecretBytes

    /// - Parameter bytes: letters, digits and the characters `-._~+/=`, which headers and URLs carry.
    package init(_ bytes: Bytes) throws(Fault) {
        guard Self.sizes.contains(bytes.count) else {
            throw Fault(
                description: bytes.isEmpty
                    ? "it is empty: write a token to it, for example with openssl rand -hex 32"
                    : "the token has \(bytes.count) characters, and needs \(Self.sizes.lowerBound) to \(Self.sizes.upperBound): openssl rand -hex 32 prints one"
            )
        }
        guard bytes.allSatisfy(Self.isCharacter) else {
            throw Fault(description: "the token has other characters than letters, digits and -._~+/=: openssl rand -hex 32 prints one")
        }
        secret = SecretBytes(bytes)
    }

    /// Compares in time that depends on the lengths only.
    func matches(_ presented: Bytes) -> Bool { secret == SecretBytes(presented) }

    private static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
