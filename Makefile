# A thin front to CMake: `make` alone lists what there is.  Builds go to build/<preset>.
BUILD        ?= build
PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
SOAK_MINUTES ?= 60
PYTHON       ?= python3
MAKEFLAGS += --no-print-directory

CTEST = ctest --output-on-failure -j $(JOBS) --test-dir
# The generator is chosen when the recipe runs, since set-up may just have installed ninja
generator = CMAKE_GENERATOR="$${CMAKE_GENERATOR:-$$(command -v ninja >/dev/null 2>&1 && echo Ninja || echo 'Unix Makefiles')}"
# configure and build one preset: $(call built,release), or one target of it: $(call built,release,--target visviva)
built = $(generator) cmake --preset $(1) -B $(BUILD)/$(1) $(CMAKE_ARGS) >$(BUILD)/$(1).log 2>&1 || { cat $(BUILD)/$(1).log; exit 1; }; \
        cmake --build $(BUILD)/$(1) -j $(JOBS) $(2)

.PHONY: help
help: ## this list
	@echo "visviva: elastic impact that keeps its books"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null || \
	  sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1: \2/p' $(MAKEFILE_LIST)

.PHONY: setup
setup:
	@bash tools/setup.sh
	@mkdir -p $(BUILD)

.PHONY: release dev
release: setup ## build the program: build/release/visviva
	@$(call built,release)
dev: setup ## build with asserts: build/dev
	@$(call built,dev)

.PHONY: mpi
mpi: setup ## build visviva-mpi, which shares runs and sweeps over the ranks of an MPI job, and test it
	@bash tools/setup.sh mpi
	@$(call built,mpi,--target visviva visviva-mpi test_net_alone test_net_threads test_net_devices)
	@$(CTEST) $(BUILD)/mpi -R 'cli/sweep|net/'

.PHONY: demo
demo: setup ## run the newcomer's scene: a rod tumbles in a room, and the books close
	@$(call built,release,--target visviva)
	$(BUILD)/release/visviva run examples/newcomer/tumbling-rod.yaml -o out/demo --overwrite
	$(BUILD)/release/visviva picture out/demo
	@rm -f out/demo/report.html
	@bash tools/setup.sh web >$(BUILD)/web.log 2>&1 && cmake --build $(BUILD)/release --target web >>$(BUILD)/web.log 2>&1 && \
	  $(BUILD)/release/visviva report out/demo || echo "visviva: the report page is left out; \`make web' builds it, or says what is missing"
	@echo
	@echo "Look at:"
	@for f in out/demo/report.html $$(find out/demo -maxdepth 1 -name '*.svg') out/demo/summary.json out/demo/ledger.csv \
	  out/demo/events.csv out/demo/paraview/run.pvd; do [ ! -e $$f ] || echo "  $$f"; done

.PHONY: web web-test
web: release ## build the report page (Node and npm; the net, the first time)
	@bash tools/setup.sh web
	@cmake --build $(BUILD)/release --target web
	@echo "visviva report DIR makes a page of a result folder"
web-test: web ## test the report page in Chromium
	@bash tools/setup.sh web-test
	@cd web && npm install --no-save --loglevel=error >/dev/null && npm run check && \
	  VISVIVA=$${VISVIVA:-$$PWD/../$(BUILD)/release/visviva} npm test

.PHONY: pictures
pictures: web ## the pictures of the docs, from the page as it is (Chromium)
	@bash tools/setup.sh web-test
	@cd web && npm install --no-save --loglevel=error >/dev/null
	@bash tools/pictures.sh $(BUILD)/release/visviva

.PHONY: setup-test
setup-test: # without Jupyter and pandas the tests that need them say so and are skipped
	@bash tools/setup.sh test || true

.PHONY: test
test: setup-test dev ## build and run all tests and checks
	@$(CTEST) $(BUILD)/dev

.PHONY: soak
soak: setup-test release ## random scenes judged from outside for SOAK_MINUTES (default 60), then long runs, then all mixtures of bodies and laws
	@VISVIVA_SOURCE=$$PWD VISVIVA_BUILD=$(abspath $(BUILD))/release VISVIVA=$(abspath $(BUILD))/release/visviva \
	  bash tests/python/python.sh tests/soak/soak.py -- --minutes $(SOAK_MINUTES) --keep $(BUILD)/soak
	@VISVIVA=$(abspath $(BUILD))/release/visviva $(PYTHON) tests/soak/long.py --minutes $(SOAK_MINUTES)
	@VISVIVA_SOAK=1 $(BUILD)/release/tests/test_mixed_two; two=$$?; \
	  VISVIVA_SOAK=1 $(BUILD)/release/tests/test_mixed_three && exit $$two

.PHONY: validate
validate: release ## run the published examples against exact solutions and the papers' figures
	$(BUILD)/release/visviva-validate --jobs $(JOBS)

.PHONY: rerun
rerun: release ## rerun 50 rows of the validation book, picked at random, through the program, and compare
	@$(PYTHON) tools/rerun_rows.py $(BUILD)/release/visviva $(RERUN)

.PHONY: figures
figures: release ## do the commands of README and docs still print what the pages say?
	@$(PYTHON) tools/check_figures.py --run $(BUILD)/release/visviva

.PHONY: bench
bench: release ## run the benchmarks
	@for b in $(BUILD)/release/bench/bench_*; do [ ! -x "$$b" ] || [ -d "$$b" ] || { echo "== $$b"; "$$b" || exit 1; }; done

.PHONY: peers
peers: release ## the tumbling rod and a pile in Bullet, ODE and MuJoCo beside visviva; a free rod beside PyElastica
	@bash tools/setup.sh peers
	@$(PYTHON) tools/peers_rigid.py $(BUILD)/release/visviva $(BUILD)/peers
	@$(PYTHON) tools/peers.py $(BUILD)/release/bench/bench_peer

.PHONY: python wheel deb notebooks
python: setup ## the Python module, ready to use: build/python/bin/python
	@bash tools/setup.sh python
	@$(call built,release,--target vv_shared visviva)
	@bash tools/python.sh $(BUILD)/python
wheel: setup ## a wheel with the library, its libraries, the program, the scenes and the page: build/wheel
	@bash tools/setup.sh python
	@VISVIVA_BUNDLE=1 $(PYTHON) python/backend.py $(BUILD)/wheel
deb: setup ## Debian packages, checked by lintian: build/deb
	@bash tools/setup.sh deb
	@bash tools/deb.sh $(BUILD)/deb
notebooks: python ## run the notebooks anew and write their pages: docs/notebooks
	@bash tools/setup.sh test
	@VISVIVA_SOURCE=$$PWD VISVIVA_BUILD=$$PWD/$(BUILD)/release bash tests/python/python.sh tools/notebooks.py nbclient nbformat nbconvert

.PHONY: install
install: setup ## install to PREFIX (default /usr/local)
	@mkdir -p $(BUILD)
	@$(call built,release)
	@prefix="$(PREFIX)"; case "$$prefix" in /*) ;; *) prefix="$$PWD/$$prefix" ;; esac; \
	  cmake --install $(BUILD)/release --prefix "$$prefix"

.PHONY: format format-check
format: ## format all C files (clang-format)
	@bash tools/format.sh
format-check: ## say which C files are not formatted
	@bash tools/format.sh --check

.PHONY: lint
lint: setup ## clang-tidy, and cppcheck where present
	@$(generator) cmake --preset clang-dev -B $(BUILD)/clang-dev $(CMAKE_ARGS) >/dev/null
	@bash tools/lint.sh $(BUILD)/clang-dev $(JOBS)

.PHONY: asan tsan
asan: setup ## all tests under the address and undefined-behaviour sanitizers
	@$(call built,asan)
	@$(CTEST) $(BUILD)/asan
tsan: setup ## all tests under the thread sanitizer (clang)
	@bash tools/setup.sh clang
	@$(call built,tsan)
	@$(CTEST) $(BUILD)/tsan

.PHONY: coverage
coverage: setup ## all tests, then line coverage by room
	@$(call built,coverage)
	@find $(BUILD)/coverage -name '*.gcda' -delete
	@$(CTEST) $(BUILD)/coverage
	@python3 tools/coverage.py $(BUILD)/coverage

.PHONY: fuzz
fuzz: setup ## fuzz every parser for FUZZ_SECONDS (default 60)
	@bash tools/setup.sh clang
	@$(call built,fuzz)
	@bash tools/fuzz.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

.PHONY: docs
docs: release ## write docs/scene-reference.md from the field tables, docs/c-api.md from the headers
	$(BUILD)/release/visviva reference docs/scene-reference.md
	$(PYTHON) tools/c_api.py

.PHONY: clean
clean: ## remove build and out
	rm -rf $(BUILD) out
