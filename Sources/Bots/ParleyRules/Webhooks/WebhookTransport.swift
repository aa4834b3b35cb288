internal import WebClient

/// A request to a receiver of webhooks.
package struct WebhookRequest: Sendable, Hashable {
    /// The address.
    package var url: String
    /// Header fields.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]
}

/// The answer of a receiver. Its body does not matter and is not read.
package struct WebhookResponse: Sendable, Hashable {
    /// The status.
    package var status: Int
    /// Seconds that the receiver asks to wait; 0 for none.
    package var retryAfter: Double

    package init(status: Int, retryAfter: Double = 0) { (self.status, self.retryAfter) = (status, retryAfter) }
}

/// The way of webhooks to their receivers.
package protocol WebhookTransport: Sendable {
    /// Posts a request.
    ///
    /// - Throws: any error if no answer came.
    func post(_ request: WebhookRequest) async throws -> WebhookResponse
}

/// Requests over the web: TLS is checked against the certificate authorities of the system.
///
/// A redirection is an answer, and not followed. Only the head of an answer is read.
package struct WebClientTransport: WebhookTransport {
    private let client: WebClient

    package init() {
        var limits = WebClient.Limits()
        limits.patience = .seconds(15)
        limits.duration = .seconds(30)
        client = WebClient(limits: limits)
    }

    package func post(_ request: WebhookRequest) async throws -> WebhookResponse {
        try await client.withResponse(to: WebRequest("POST", request.url, headers: request.headers, body: request.body)) { response, _ in
            WebhookResponse(status: response.status, retryAfter: response["Retry-After"].flatMap(Double.init) ?? 0)
        }
    }
}
