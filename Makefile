# `make run` runs the example bots, and `make test` all tests. Both install missing Debian packages first.

PACKAGES := g++ pkg-config libssl-dev libsodium-dev libsqlite3-dev libzstd-dev libre2-dev libqrencode-dev libturbojpeg0-dev libpng-dev libwebp-dev \
	libcurl4 libxml2 libncurses6
BOTS ?= bots.yaml
DATA ?= parley-data
SWIFT ?= swift
# Options of the builds for `run`, `test`, `docs`, `release` and `bench`. Each change of them builds everything anew.
FLAGS ?=
BUILD = $(SWIFT) build $(FLAGS)

# A crash prints its error, not 150 lines of stack.
export SWIFT_BACKTRACE ?= enable=no
# Virtual machines stand still for a minute now and then, and so do their disks.
export PARLEY_TEST_PATIENCE ?= 180

.PHONY: run test docs site bench fuzz mutate mutants coverage soak simulate sanitize release format lint clean packages

run: packages
	$(BUILD) -c release --product parley
	exec "$$($(BUILD) -c release --show-bin-path)/parley" run $(BOTS) --data $(DATA)

# All test modules, LANES at a time; the others run when one fails. A module that hangs is killed at the limit.
# Tests that draw some of many cases take the date as their seed: a failure repeats, and each day sees other cases. PARLEY_SEED takes another one.
LIMIT ?= 20m
LANES ?= 2
DAY := $(shell date -u +%Y%m%d)
test: packages
	$(BUILD) --build-tests
	PARLEY_SEED=$${PARLEY_SEED:-$(DAY)} LIMIT=$(LIMIT) LANES=$(LANES) Tests/Support/run-modules "$$($(BUILD) --show-bin-path)/parleyPackageTests.xctest" \
		$(sort $(notdir $(wildcard Tests/*Tests)) InteropTests)

# The API reference of the modules Parley, ParleyRules and ParleyTesting, by docc of the Swift toolchain: $(ARCHIVES). A warning is an error. The links of
# the Markdown files must be valid. The tests, files, options and metrics that they name must exist, and figures must be those of the code. The public API of Parley
# must be the one in Tests/Documentation/public-api.txt. The Swift snippets of README, docs and the catalogues
# must compile, and `parley check` must accept their bots.yaml snippets.
DOCC ?= docc
DOCUMENTED := Parley ParleyRules ParleyTesting
ARCHIVES := .build/documentation
docs: packages
	Tests/Documentation/check-links
	Tests/Documentation/check-names
	Tests/Documentation/check-figures
	Tests/Documentation/check-metrics
	$(BUILD) --product parley
	$(BUILD) --target ParleyTesting
	Tests/Documentation/check-options "$$($(BUILD) --show-bin-path)"
	Tests/Documentation/check-snippets "$$($(BUILD) --show-bin-path)"
	rm -rf $(ARCHIVES)
	@set -e; flags="$$(Tests/Documentation/module-flags "$$($(BUILD) --show-bin-path)")"; for module in $(DOCUMENTED); do \
		echo "== $$module"; symbols=$(ARCHIVES)/symbols/$$module; mkdir -p $$symbols; \
		$(SWIFT) symbolgraph-extract -module-name $$module -minimum-access-level public -skip-synthesized-members \
			-experimental-allowed-reexported-modules=Hosting,WebClient -output-dir $$symbols $$flags; \
		$(DOCC) convert Sources/Bots/$$module/$$module.docc --additional-symbol-graph-dir $$symbols --output-path $(ARCHIVES)/$$module.doccarchive \
			--fallback-display-name $$module --fallback-bundle-identifier $$module --disable-parameters-and-returns-validation --warnings-as-errors; \
	done
	Tests/Documentation/check-api $(ARCHIVES)/symbols/Parley
	@echo "The API references are in $(ARCHIVES). Show one with: python3 -m http.server -d $(ARCHIVES)/Parley.doccarchive, then http://localhost:8000/documentation/parley"

# One folder of static files, in $(SITE)/site: README, docs, examples, changelog and the API references that `make docs` has built (API=no leaves them out).
# SITE_BASE is the path of the site on its server. The generator, Sphinx, is installed into $(SITE)/venv from PyPI, by the checksums of
# Scripts/site/requirements.txt; the site itself loads nothing from other servers. A link that leads nowhere is an error.
SITE := .build-site
SITE_BASE ?= /
API ?= yes
site: PACKAGES := python3 python3-venv
site: packages
	@[ -e $(SITE)/venv/installed ] && cmp -s Scripts/site/requirements.txt $(SITE)/venv/installed || { rm -rf $(SITE)/venv && python3 -m venv $(SITE)/venv \
		&& $(SITE)/venv/bin/pip install --disable-pip-version-check -q --require-hashes -r Scripts/site/requirements.txt \
		&& cp Scripts/site/requirements.txt $(SITE)/venv/installed; }
	DOCC=$(DOCC) $(SITE)/venv/bin/python Scripts/site/build-site $(SITE) --base $(SITE_BASE) $(if $(filter yes,$(API)),--archives $(ARCHIVES))
	@echo "The site is in $(SITE)/site. Show it with: python3 -m http.server -d $(SITE)/site"

# The archives of a release, in $(RELEASE)/out: a tar archive, a Debian package, the list of parts, and checksums. The program contains the Swift libraries.
RELEASE := .build-release
release: PACKAGES += dpkg-dev git python3 xz-utils
release: packages
	$(BUILD) -c release --static-swift-stdlib --product parley --scratch-path $(RELEASE)
	Packaging/make-packages $(RELEASE)/release/parley $(RELEASE)/checkouts $(RELEASE)/out

# Figures of Parley, beside those of the official programs if SIMPLEX_PEERS names their folder. ARGUMENTS="--only echo" measures a part.
bench: packages
	$(BUILD) -c release --product parley
	$(BUILD) -c release --product ParleyBench
	"$$($(BUILD) -c release --show-bin-path)/ParleyBench" $(ARGUMENTS)

# Searches for inputs that break parsers and decisions (docs/reliability.md). TARGET names one of Tests/FuzzTests/Corpus; by default all targets run.
# SEED is the seed; by default each target draws one. It is printed.
TARGET ?= $(basename $(notdir $(wildcard Tests/FuzzTests/Corpus/*.txt)))
SECONDS ?= 60
SIMULATION ?= .build-simulation
fuzz: packages
	PARLEY_FUZZ=1 $(SWIFT) build -c release --scratch-path .build-fuzz --product ParleyFuzz -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer \
		-Xswiftc -parse-as-library -Xswiftc -use-ld=lld
	@for target in $(TARGET); do Tests/FuzzTests/fuzz .build-fuzz/release/ParleyFuzz $$target $(SECONDS) $(SEED) || exit 1; done

# The same search without a fuzzer's instrumentation, in the tests that `make test` has built: SECONDS for each target. SEED is drawn and printed by
# default.
mutate:
	$(if $(SEED),PARLEY_SEED=$(SEED)) PARLEY_FUZZ_SECONDS=$(SECONDS) $(SWIFT) test $(FLAGS) --skip-build --filter '^FuzzTests\.MutationTests'

# The share of lines that the tests run, for each module; less than 80 % of a module is an error.
coverage: packages
	$(SWIFT) build --build-tests --enable-code-coverage --scratch-path .build-coverage
	rm -rf .build-coverage/profiles
	@bin="$$($(SWIFT) build --scratch-path .build-coverage --show-bin-path)"; LLVM_PROFILE_FILE="$(CURDIR)/.build-coverage/profiles/%p-%m.profraw" \
		PARLEY_SEED=$${PARLEY_SEED:-$(DAY)} LIMIT=$(LIMIT) LANES=$(LANES) Tests/Support/run-modules "$$bin/parleyPackageTests.xctest" \
		$(sort $(notdir $(wildcard Tests/*Tests)) InteropTests); Tests/Coverage/report-coverage "$$bin" .build-coverage/profiles

# Changes of the sources of MODULE that no test of MODULE sees: COUNT changes, of SEED.
MODULE ?= ChatRules
COUNT ?= 20
mutants: packages
	Tests/Mutation/mutate-sources $(MODULE) --count $(COUNT) $(if $(SEED),--seed $(SEED))

# The hostile client against every victim (docs/reliability.md), in the tests that `make test` has built: SECONDS for each victim and each of four tests, so
# that 60 take some 20 minutes. SEED is drawn and printed by default.
soak:
	$(if $(SEED),PARLEY_SEED=$(SEED)) PARLEY_SOAK_SECONDS=$(SECONDS) $(SWIFT) test $(FLAGS) --skip-build --experimental-maximum-parallelization-width 1 \
		--filter '^ChatEngineTests\.Hostile(Client|Soak)Tests'

# Runs simulated worlds on all cores, one seed after another (docs/reliability.md), for SECONDS, from PARLEY_SEED.
simulate: packages
	PARLEY_SIMULATION=1 $(SWIFT) build -c release --scratch-path $(SIMULATION) --product ParleySimulation -Xswiftc -enable-testing
	PARLEY_SECONDS=$(SECONDS) $(SIMULATION)/release/ParleySimulation

# Runs tests under ThreadSanitizer and AddressSanitizer (docs/reliability.md). SANITIZERS=thread and MODULES="SMPServerTests" run a part.
# The builds are in separate folders. PARLEY_SANITIZE=thread also replaces the locks by ones that the sanitizer sees. Instrumented tests take up to
# ten times as long as others, and more on busy cores.
SANITIZERS ?= thread address
SANITIZE_LIMIT ?= 90m
THREAD_MODULES := AsyncPrimitivesTests EncryptedSQLiteTests SMPTransportTests SMPClientTests RouterSupportTests SMPServerTests SMPAgentTests ChatEngineTests ChatModelTests ChatSocketTests HostingTests ParleyTests
ADDRESS_MODULES := EncryptedSQLiteTests SMPCryptoTests SMPRatchetTests SMPTransportTests SMPClientTests RouterSupportTests SMPServerTests SMPAgentTests ChatProtocolTests ChatEngineTests HostingTests ParleyTests
sanitize: packages
	@for sanitizer in $(SANITIZERS); do \
		export PARLEY_SANITIZE=$$sanitizer TSAN_OPTIONS="exitcode=66 suppressions=$(CURDIR)/Tests/Support/thread-sanitizer.txt $(TSAN_OPTIONS)" ASAN_OPTIONS="detect_leaks=0 $(ASAN_OPTIONS)"; \
		case $$sanitizer in \
			thread) folder=.build-tsan; modules="$(THREAD_MODULES)";; \
			address) folder=.build-asan; modules="$(ADDRESS_MODULES)";; \
			*) echo "SANITIZERS: thread or address, not $$sanitizer"; exit 2;; \
		esac; \
		$(SWIFT) build --build-tests --sanitize=$$sanitizer --scratch-path $$folder || exit 1; \
		for module in $(or $(MODULES),$$modules); do \
			echo "== $$module under $$sanitizer"; \
			timeout -k 10 $(SANITIZE_LIMIT) $(SWIFT) test --skip-build --sanitize=$$sanitizer --scratch-path $$folder --experimental-maximum-parallelization-width 4 \
				--filter "^$$module\." > $$folder/$$module.log 2>&1 \
				|| { grep -E '✘|error:|SUMMARY:|WARNING: ThreadSanitizer|ERROR: AddressSanitizer' $$folder/$$module.log | head -40; tail -5 $$folder/$$module.log; exit 1; }; \
			awk -f Tests/Support/test-summary.awk $$folder/$$module.log; \
		done || exit 1; \
	done

# Reports deviations from the format, and from the structure of the modules: a new cycle between folders, a type that grows beyond its limit.
lint:
	Tests/Structure/check-structure
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Examples Benchmarks

clean:
	rm -rf .build

packages:
	@command -v $(SWIFT) >/dev/null || { echo "The Swift toolchain (6.1 or newer) is not on the PATH: https://www.swift.org/install/linux/"; exit 1; }
	@if command -v dpkg-query >/dev/null; then \
		missing=; \
		for package in $(PACKAGES); do \
			dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
		done; \
		if [ -n "$$missing" ]; then \
			echo "Installing Debian packages:$$missing"; \
			root=; [ "$$(id -u)" = 0 ] || root=sudo; \
			$$root apt-get update -q && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing; \
		fi; \
	else \
		echo "Not a Debian system. These libraries (by their Debian names) are required: $(PACKAGES)"; \
	fi
