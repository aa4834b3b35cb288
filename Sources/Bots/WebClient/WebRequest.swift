/// A request to a server of the web.
public struct WebRequest: Sendable, Hashable {
    /// The method, such as `GET` or `POST`.
    public var method: String
    /// The address, with `https://` or `http://`. A user and a password in it are sent as `Authorization: Basic`.
    public var url: String
    /// Header fields. `Host`, `Content-Length` and `Connection` are the client's own.
    public var headers: [String: String]
    /// The body; nil for a request without one.
    public var body: [UInt8]?

    /// A request with all its parts.
    public init(_ method: String, _ url: String, headers: [String: String] = [:], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A request with `GET` and without header fields of its own.
    public init(_ url: String) { self.init("GET", url) }
}

/// The beginning of an answer.
public struct WebResponse: Sendable, Hashable {
    /// The status, 200 to 599.
    public var status: Int
    /// The address that has answered: another one than that of the request after redirections.
    public var url: String
    /// Header fields in the order of the answer. A name can occur more than once.
    public var headers: [Header]

    /// One header field.
    public struct Header: Sendable, Hashable {
        /// The name, as the server wrote it.
        public var name: String
        /// The value without surrounding spaces.
        public var value: String

        /// A field with a name and a value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An answer, as a test may make one.
    public init(status: Int, url: String, headers: [Header] = []) {
        self.status = status
        self.url = url
        self.headers = headers
    }

    /// The first value of a header field, whatever the case of its name; nil if there is none.
    public subscript(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// An error of a request.
public struct WebError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Stable: usable as a metric label.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request has no valid address, method or header field.
        case invalidRequest
        /// The address is on this machine or in a private network, and the client refuses those.
        case localAddress
        /// No connection, or it ended too early.
        case notReached
        /// The certificate of the server is not valid for its name, or no known authority has signed it.
        case untrusted
        case timeout
        /// The body is larger than the limit.
        case tooLarge
        /// The answer is not HTTP.
        case malformed
        /// Too many redirections, or one to an address that the client refuses.
        case redirect
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of error.
    public let code: Code
    /// A description of the error for a person. It names the host, and no other part of the address.
    public let message: String

    /// An error with a description.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// True if another attempt may succeed later.
    public var isTemporary: Bool {
        switch code {
        case .notReached, .timeout: true
        case .invalidRequest, .localAddress, .untrusted, .tooLarge, .malformed, .redirect, .cancelled: false
        }
    }
}
