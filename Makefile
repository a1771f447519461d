# Two commands on a fresh Debian 12: `make run` and `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory

export LLVM_SYS_191_PREFIX ?= /usr/lib/llvm-19
export PATH := $(HOME)/.cargo/bin:$(PATH)

PREFIX ?= /usr/local
DESTDIR ?=
TOOLKIT ?= .toolkit/cuda-13.0
EXAMPLES := $(or $(CARGO_TARGET_DIR),target)/examples-cuda

# Everything that dist is made from. Directories are here too, so that a deleted file counts.
SOURCES := $(shell find crates tools xtask -name tests -prune -o -print) \
	Cargo.toml Cargo.lock rust-toolchain.toml .cargo/config.toml

.PHONY: all run test ci setup toolkit toolkit-newest toolkit-12 clients install tarball clean

all: setup dist/.stamp

setup:
	@scripts/setup.sh

toolkit: setup
	@scripts/toolkit.sh 13.0

toolkit-newest: setup
	@scripts/toolkit.sh 13.5

toolkit-12: toolkit
	@scripts/toolkit-12.sh

dist/.stamp: $(SOURCES) | setup
	@mkdir -p $(@D) && touch $@.begun
	cargo xtask dist
	@mv $@.begun $@

run: setup toolkit dist/.stamp $(EXAMPLES)/vecadd
	@dist/bin/antlerite run $(EXAMPLES)/vecadd
	@dist/bin/antlerite run dist/bin/nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

# The program as anyone would build it: no flag but -o.
$(EXAMPLES)/%: examples/%.cu | toolkit
	@mkdir -p $(@D)
	$(TOOLKIT)/bin/nvcc $< -o $@

# What cannot be had from PyPI here is not judged.
clients: setup
	@scripts/clients.sh || echo "clients: not installed; their tests are skipped"

test: setup toolkit toolkit-12 clients dist/.stamp
	@cargo test --quiet --package conformance --test conformance --package ptxjit --test filetests -- --list 2>&1 >/dev/null \
		| grep '^not judged' || true
	cargo nextest run --locked --workspace

ci: setup toolkit toolkit-12 clients dist/.stamp
	cargo xtask ci

install: all
	install -d $(DESTDIR)$(PREFIX)/lib/antlerite $(DESTDIR)$(PREFIX)/bin
	rm -rf $(DESTDIR)$(PREFIX)/lib/antlerite/bin $(DESTDIR)$(PREFIX)/lib/antlerite/lib
	cp -a dist/bin dist/lib dist/toolkit $(DESTDIR)$(PREFIX)/lib/antlerite/
	ln -sfn ../lib/antlerite/bin/antlerite $(DESTDIR)$(PREFIX)/bin/antlerite

tarball: all
	tar --transform 's,^dist,antlerite,' -czf antlerite.tar.gz dist/bin dist/lib dist/toolkit

clean:
	rm -rf dist $(EXAMPLES) antlerite.tar.gz
	cargo clean
