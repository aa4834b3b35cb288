/// The numbers of sntrup761 (draft-josefsson-ntruprime-streamlined §3).
enum Parameters {
    /// The degree: polynomials are taken modulo x^761 - x - 1.
    static let degree = 761
    /// The modulus of the coefficients of public polynomials.
    static let modulus = 4591
    /// The number of coefficients of a short polynomial that are not 0.
    static let weight = 286
    /// Bytes of a polynomial whose coefficients are -1, 0 and 1.
    static let smallSize = 191
    /// Bytes of a rounded polynomial.
    static let roundedSize = 1007
    /// Bytes of a confirmation, and of the other hashes.
    static let hashSize = 32
    /// Room for a polynomial, so that loops run over whole vectors.
    static let room = 768
}
