#!/usr/bin/env bash
# Installs what a build needs on Debian 12: packages, the Rust toolchain, cargo-nextest. Quick when all is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    binutils ca-certificates clang-19 curl g++ gcc git kmod libc6-dev libffi-dev libpolly-19-dev libxml2-dev
    libzstd-dev lld-19 llvm-19-dev make pkg-config python3 python3-venv strace zlib1g-dev
)
installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^ii *//p' || true)
missing=()
for package in "${packages[@]}"; do
    grep -qx "$package" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]})); then
    sudo=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || {
            echo "setup: these packages are missing, and there is no sudo: ${missing[*]}" >&2
            exit 1
        }
        sudo=(sudo)
    fi
    echo "setup: installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if ! command -v cargo >/dev/null; then
    echo "setup: installing rustup"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain none
fi
export PATH="$HOME/.cargo/bin:$PATH"
channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
if command -v rustup >/dev/null && ! rustup toolchain list | grep -q "^$channel-"; then
    rustup toolchain install "$channel" --profile minimal --component clippy --component rustfmt
fi
if ! command -v cargo-nextest >/dev/null; then
    echo "setup: installing cargo-nextest"
    cargo install --locked --quiet cargo-nextest
fi
