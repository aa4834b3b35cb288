# Two commands do everything: `make run` and `make test`. Both first install the Debian packages that are missing.

PACKAGES := g++ pkg-config libssl-dev libsodium-dev libsqlite3-dev libzstd-dev libre2-dev libqrencode-dev
BOTS ?= bots.yaml
DATA ?= parley-data
SWIFT ?= swift

# A crash prints its error, not 150 lines of stack.
export SWIFT_BACKTRACE ?= enable=no

.PHONY: run test bench fuzz mutate simulate sanitize format lint clean packages

run: packages
	$(SWIFT) build -c release --product parley
	exec "$$($(SWIFT) build -c release --show-bin-path)/parley" run $(BOTS) --data $(DATA)

# One module after the other and a few tests at a time: thousands at once would starve those that talk to each other over sockets. A module
# takes a few minutes at most; one that hangs is killed at the limit.
LIMIT ?= 20m
test: packages
	$(SWIFT) build --build-tests
	@for module in $(sort $(notdir $(wildcard Tests/*Tests)) InteropTests); do \
		echo "== $$module"; \
		timeout -k 10 $(LIMIT) $(SWIFT) test --skip-build --experimental-maximum-parallelization-width 8 --filter "^$$module\." > .build/$$module.log 2>&1 \
			|| { [ $$? -lt 124 ] || echo "not over after $(LIMIT):"; grep -E '✘|error:' .build/$$module.log; tail -5 .build/$$module.log; exit 1; }; \
		grep 'Test run with' .build/$$module.log | tail -1; \
	done
	@[ -n "$$SIMPLEX_PEERS" ] || echo "Not run: tests with the official programs, as SIMPLEX_PEERS does not name their folder."

# Figures of Parley, beside those of the official programs if SIMPLEX_PEERS names their folder. ARGUMENTS="--only echo" measures a part.
bench: packages
	$(SWIFT) build -c release --product parley
	$(SWIFT) build -c release --product ParleyBench
	"$$($(SWIFT) build -c release --show-bin-path)/ParleyBench" $(ARGUMENTS)

# Searches for inputs that break what takes them (docs/reliability.md). TARGET names one of Tests/FuzzTests/Corpus, else all have their turn.
# SEED is where chance begins; without it one is drawn for each target. Either is printed.
TARGET ?= $(basename $(notdir $(wildcard Tests/FuzzTests/Corpus/*.txt)))
SECONDS ?= 60
SIMULATION ?= .build-simulation
fuzz: packages
	PARLEY_FUZZ=1 $(SWIFT) build -c release --scratch-path .build-fuzz --product ParleyFuzz -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer \
		-Xswiftc -parse-as-library -Xswiftc -use-ld=lld
	@for target in $(TARGET); do Tests/FuzzTests/fuzz .build-fuzz/release/ParleyFuzz $$target $(SECONDS) $(SEED) || exit 1; done

# The same search without a fuzzer's instrumentation, in the tests that `make test` has built: SECONDS for each target, from a drawn SEED that is
# printed, or a given one.
mutate:
	$(if $(SEED),PARLEY_SEED=$(SEED)) PARLEY_FUZZ_SECONDS=$(SECONDS) $(SWIFT) test --skip-build --filter '^FuzzTests\.MutationTests'

# Goes through simulated worlds on all cores, one seed after the other (docs/reliability.md). SECONDS says how long, PARLEY_SEED where to begin.
simulate: packages
	PARLEY_SIMULATION=1 $(SWIFT) build -c release --scratch-path $(SIMULATION) --product ParleySimulation -Xswiftc -enable-testing
	PARLEY_SECONDS=$(SECONDS) $(SIMULATION)/release/ParleySimulation

# Runs tests under ThreadSanitizer and AddressSanitizer (docs/reliability.md). SANITIZERS=thread and MODULES="SMPServerTests" run a part.
# The builds are those of the tests, in folders of their own: PARLEY_SANITIZE=thread also exchanges the locks for ones that the sanitizer sees.
SANITIZERS ?= thread address
THREAD_MODULES := AsyncPrimitivesTests EncryptedSQLiteTests SMPTransportTests SMPClientTests SMPServerTests SMPAgentTests ChatEngineTests ChatModelTests ChatSocketTests ParleyTests
ADDRESS_MODULES := EncryptedSQLiteTests SMPCryptoTests SMPRatchetTests SMPTransportTests SMPClientTests SMPServerTests SMPAgentTests ChatProtocolTests ChatEngineTests ParleyTests
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
			timeout -k 10 $(LIMIT) $(SWIFT) test --skip-build --sanitize=$$sanitizer --scratch-path $$folder --experimental-maximum-parallelization-width 4 \
				--filter "^$$module\." > $$folder/$$module.log 2>&1 \
				|| { grep -E '✘|error:|SUMMARY:|WARNING: ThreadSanitizer|ERROR: AddressSanitizer' $$folder/$$module.log | head -40; tail -5 $$folder/$$module.log; exit 1; }; \
			grep 'Test run with' $$folder/$$module.log | tail -1; \
		done || exit 1; \
	done

# Complains about what `make format` would change.
lint:
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
		echo "Not a Debian system: these libraries (by their Debian names) must be there: $(PACKAGES)"; \
	fi
