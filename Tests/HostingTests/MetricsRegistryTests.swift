import CoreMetrics
import Testing

@testable import Hosting

@Suite struct MetricsRegistryTests {
    @Test func countersAreSortedByNameAndLabels() {
        let registry = MetricsRegistry()
        CoreMetrics.Counter(label: "b", dimensions: [("bot", "two")], factory: registry).increment(by: 2)
        CoreMetrics.Counter(label: "b", dimensions: [("bot", "one")], factory: registry).increment()
        CoreMetrics.Counter(label: "a_total", factory: registry).increment()
        #expect(
            registry.text == """
                # TYPE a_total counter
                a_total 1
                # TYPE b_total counter
                b_total{bot="one"} 1
                b_total{bot="two"} 2

                """)
    }

    @Test func countersOfOneNameAndLabelsAreOne() {
        let registry = MetricsRegistry()
        for _ in 1...3 { CoreMetrics.Counter(label: "a", dimensions: [("x", "1")], factory: registry).increment() }
        #expect(registry.text.contains("a_total{x=\"1\"} 3\n"))
    }

    @Test func aTimerIsAHistogramOfSeconds() {
        let registry = MetricsRegistry()
        let timer = Timer(label: "run_seconds", dimensions: [("bot", "a")], factory: registry)
        for milliseconds in [1, 3, 70_000] { timer.recordMilliseconds(milliseconds) }
        let text = registry.text
        #expect(text.contains("# TYPE run_seconds histogram\n"))
        #expect(text.contains("run_seconds_bucket{bot=\"a\",le=\"0.001\"} 1\n"))
        #expect(text.contains("run_seconds_bucket{bot=\"a\",le=\"0.005\"} 2\n"))
        #expect(text.contains("run_seconds_bucket{bot=\"a\",le=\"60\"} 2\n"))
        #expect(text.contains("run_seconds_bucket{bot=\"a\",le=\"+Inf\"} 3\n"))
        #expect(text.contains("run_seconds_sum{bot=\"a\"} 70.004\nrun_seconds_count{bot=\"a\"} 3\n"))
    }

    @Test func namesAndValuesCannotAddLines() {
        let registry = MetricsRegistry()
        CoreMetrics.Counter(label: "evil\n1 name", dimensions: [("la bel", "a\"\n\\b")], factory: registry).increment()
        #expect(registry.text == "# TYPE evil_1_name_total counter\nevil_1_name_total{la_bel=\"a\\\"\\n\\\\b\"} 1\n")
        CoreMetrics.Counter(label: "1", factory: registry).increment()
        #expect(registry.text.contains("_1_total 1\n"))
    }

    @Test func aNameOfTwoKindsKeepsTheFirst() {
        let registry = MetricsRegistry()
        Recorder(label: "a", dimensions: [], aggregate: false, factory: registry).record(5)
        Timer(label: "a", factory: registry).recordSeconds(1)
        #expect(registry.text == "# TYPE a gauge\na 5\n")
    }

    @Test func whatIsDestroyedIsForgotten() {
        let registry = MetricsRegistry()
        let counter = CoreMetrics.Counter(label: "a", factory: registry)
        counter.increment()
        counter.destroy()
        #expect(registry.text.isEmpty)
    }

    @Test func seriesBeyondTheLimitAreNotRecordedAndThoseThatAreKnownGoOn() {
        let registry = MetricsRegistry()
        func counter(_ number: Int) -> CoreMetrics.Counter { CoreMetrics.Counter(label: "c", dimensions: [("n", "\(number)")], factory: registry) }
        for number in 1...MetricsRegistry.limit { counter(number).increment() }
        counter(0).increment()
        Timer(label: "t", factory: registry).recordSeconds(1)
        Recorder(label: "g", dimensions: [], aggregate: false, factory: registry).record(5)
        counter(1).increment(by: 41)
        #expect(registry.snapshot().count == MetricsRegistry.limit)
        #expect(registry.snapshot().allSatisfy { $0.key.name == "c_total" && $0.key.labels != "{n=\"0\"}" })
        counter(2).destroy()
        counter(0).increment(by: 7)
        let text = registry.text
        #expect(text.contains("c_total{n=\"0\"} 7\n") && text.contains("c_total{n=\"1\"} 42\n") && !text.contains("c_total{n=\"2\"}"))
    }

    @Test func aCounterEndsAtTheLargestNumber() {
        let counter = CounterSeries()
        counter.increment(by: .max)
        counter.increment(by: 1)
        #expect(counter.value == .max)
    }

    @Test func quantilesAreBoundsOfBuckets() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.5) == nil)
        for _ in 1...98 { histogram.record(0.002) }
        histogram.record(0.2)
        histogram.record(.nan)
        histogram.record(100)
        #expect(histogram.count == 100)
        #expect(histogram.quantile(0.5) == 0.002_5)
        #expect(histogram.quantile(0.99) == 0.25)
        #expect(histogram.quantile(1) == .infinity)
    }
}
