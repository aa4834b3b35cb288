public import ChatProtocol

/// The outcome of checking the signature of a message. Programs of 6.5 get `msgSigned`, those of 7.0 `msgVerified`.
public enum MessageVerification: JSONObjectConvertible, Hashable {
    /// The message has no signature, and none was required.
    case unsigned
    /// The message is signed.
    case signed(SignatureStatus)
    /// The message has no signature although its group requires one.
    case signatureMissing
    /// A form that this version does not know, kept as it came.
    case other(JSONValue)

    /// The outcome of checking the signature; nil without one.
    public var status: SignatureStatus? {
        guard case .signed(let status) = self else { return nil }
        return status
    }

    /// The verification of a message whose signature was checked; nil for none.
    public init(_ status: SignatureStatus?) { self = status.map(Self.signed) ?? .unsigned }

    /// The word for a missing signature in a stored item.
    private static let missing = "sigMissing"

    /// The outcome as it is stored: the status of a signature, or a word for a missing one; nil without either.
    public var storedText: String? {
        switch self {
        case .unsigned, .other: nil
        case .signed(let status): status.rawValue
        case .signatureMissing: Self.missing
        }
    }

    /// Reads a stored outcome.
    public init(storedText: String?) {
        self = storedText == Self.missing ? .signatureMissing : Self(storedText.map { SignatureStatus(rawValue: $0) })
    }

    /// Reads the members of an item's data: `msgVerified`, or else `msgSigned`.
    public init(object: JSONObject) throws(JSONError) {
        guard let form: JSONObject = try object.optional("msgVerified") else {
            self.init(try object.optional("msgSigned", as: SignatureStatus.self))
            return
        }
        switch form["type"]?.stringValue {
        case "signed": self = .signed(try form.required("sigStatus"))
        case "sigMissing": self = .signatureMissing
        default: self = .other(.object(form))
        }
    }

    /// Adds the member of the version that the object is for.
    public func write(into object: inout JSONObjectWriter) {
        guard object.version >= .v70 else { return object.add("msgSigned", status) }
        switch self {
        case .unsigned: break
        case .signed(let status): object.add("msgVerified", JSONObject([("type", "signed"), ("sigStatus", status.json)]))
        case .signatureMissing: object.add("msgVerified", JSONObject([("type", "sigMissing")]))
        case .other(let json): object.add("msgVerified", json)
        }
    }
}
