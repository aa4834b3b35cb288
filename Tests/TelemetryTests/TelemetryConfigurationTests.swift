import Testing

@testable import Telemetry

/// The variables of OpenTelemetry.
@Suite struct TelemetryConfigurationTests {
    private static func read(_ environment: [String: String]) throws(TelemetryConfiguration.Fault) -> TelemetryConfiguration? {
        try TelemetryConfiguration(environment: environment, version: "1.2.3")
    }

    private static func fault(_ environment: [String: String]) -> String? {
        do throws(TelemetryConfiguration.Fault) {
            _ = try read(environment)
            return nil
        } catch {
            return error.variable
        }
    }

    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT", traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

    @Test func nothingIsExportedWithoutAnEndpoint() throws {
        #expect(try Self.read([:]) == nil)
        #expect(try Self.read([Self.endpoint: " ", "OTEL_SERVICE_NAME": "a"]) == nil)
        #expect(try Self.read([Self.endpoint: "http://a", "OTEL_SDK_DISABLED": "TRUE"]) == nil)
        #expect(try Self.read([Self.endpoint: "http://a", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"]) == nil)
    }

    @Test func oneEndpointIsForBothSignalsAndOneForASignalIsUsedAsItIs() throws {
        let both = try #require(try Self.read([Self.endpoint: "http://collector:4318/"]))
        #expect(both.traces?.url == "http://collector:4318/v1/traces" && both.metrics?.url == "http://collector:4318/v1/metrics")
        #expect(both.metricInterval == .seconds(60) && both.sampledShare == 1 && both.traces?.timeout == .seconds(10))
        let one = try #require(try Self.read([Self.traces: "https://a.example/x"]))
        #expect(one.traces?.url == "https://a.example/x" && one.metrics == nil)
    }

    @Test func headersAndAttributesAreDecoded() throws {
        let read = try #require(
            try Self.read([
                Self.endpoint: "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x, a = b ", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=c",
                "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,service.name=one", "OTEL_SERVICE_NAME": "two",
            ]))
        #expect(read.traces?.headers == ["authorization": "Bearer x", "a": "c"] && read.metrics?.headers == ["authorization": "Bearer x", "a": "b"])
        #expect(read.resource["service.name"] == "two" && read.resource["deployment.environment.name"] == "test")
        #expect(read.resource["service.version"] == "1.2.3" && read.resource["telemetry.sdk.language"] == "swift")
    }

    @Test func theSamplerDecidesTheShareOfTraces() throws {
        func share(_ sampler: String, _ argument: String? = nil) throws -> Double? {
            var environment = [Self.endpoint: "http://a", "OTEL_TRACES_SAMPLER": sampler]
            environment["OTEL_TRACES_SAMPLER_ARG"] = argument
            return try Self.read(environment).flatMap { $0.traces == nil ? nil : $0.sampledShare }
        }
        #expect(try share("always_on") == 1 && share("parentbased_traceidratio", "0.25") == 0.25 && share("traceidratio") == 1)
        #expect(try share("always_off") == nil)
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"), ("OTEL_METRIC_EXPORT_INTERVAL", "fast"), ("OTEL_TRACES_SAMPLER", "some"), ("OTEL_SDK_DISABLED", "maybe"),
        ("OTEL_METRICS_EXPORTER", "prometheus"), ("OTEL_RESOURCE_ATTRIBUTES", "=x"), ("OTEL_BSP_MAX_QUEUE_SIZE", "-1"),
    ])
    func aValueThatCannotBeUsedIsRefusedByItsVariable(_ variable: String, _ value: String) {
        #expect(Self.fault(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://a"].merging([variable: value]) { $1 }) == variable)
    }

    @Test func aFaultShowsNoHeader() {
        do throws(TelemetryConfiguration.Fault) {
            _ = try Self.read([Self.endpoint: "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=ok,hunter2"])
            Issue.record("the value was taken")
        } catch {
            #expect(!error.description.contains("hunter2"))
        }
    }
}
