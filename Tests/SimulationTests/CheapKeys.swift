import SMPCrypto
import SMPRatchet
import SMPWire

/// Agreement in the multiplicative group modulo 2⁶¹−1 in place of X448, with keys of the same sizes: it tells keys from one another, and hides
/// nothing. An agreement on the curve takes 400 µs, which is more than all else that is done for a message.
enum CheapAgreement: AgreementAlgorithm {
    static let name = "simulated X448"
    static let publicSize = X448.publicSize
    static let privateSize = X448.privateSize
    static let identifier = X448.identifier

    private static let modulus: UInt64 = (1 << 61) - 1

    private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        let sum = (low & modulus) + (low >> 61 | high << 3)
        return sum >= modulus ? sum - modulus : sum
    }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var (result, square, left): (UInt64, UInt64, UInt64) = (1, base, exponent)
        while left > 0 {
            if left & 1 == 1 { result = product(result, square) }
            square = product(square, square)
            left >>= 1
        }
        return result
    }

    private static func exponent(_ privateKey: SecretBytes) -> UInt64 { privateKey.withBytes { $0.loadUnaligned(as: UInt64.self) >> 4 } }

    private static func bytes(_ element: UInt64) -> Bytes {
        withUnsafeBytes(of: element) { Bytes($0) } + Bytes(repeating: 0, count: publicSize - 8)
    }

    static func publicKey(of privateKey: SecretBytes) -> Bytes { bytes(power(37, exponent(privateKey))) }

    static func agree(_ privateKey: SecretBytes, _ publicKey: Bytes) -> SecretBytes? {
        let element = publicKey.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        guard element > 1, element < modulus, publicKey.dropFirst(8).allSatisfy({ $0 == 0 }) else { return nil }
        return SecretBytes(bytes(power(element, exponent(privateKey))))
    }
}

/// Ratchet keys that cost little. Those of the KEM are real.
struct CheapRatchetKeys: RatchetKeySource {
    let random: any RandomSource

    func kemKeyPair() -> SNTRUP761.KeyPair { SNTRUP761.generateKeyPair(random) }

    func agreementKey(_ random: any RandomSource) -> X448.PrivateKey {
        do {
            return try X448.PrivateKey(raw: random.secret(X448.privateSize), agreeingBy: CheapAgreement.self)
        } catch {
            preconditionFailure("the sizes are those of X448: \(error)")
        }
    }
}
