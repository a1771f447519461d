#!/usr/bin/env bash
# clients.sh: programs of others that use the driver and are small, from PyPI, as .toolkit/clients: tools over NVML, the Driver
# API's Python bindings, tinygrad; and cudarc's source into cargo's cache. The large ones (Numba, CuPy, Triton) are found by their variables, see tests/harness/foreign.rs.
set -euo pipefail
cd "$(dirname "$0")/.."
root=.toolkit/clients

# The stamp is written last.
if [[ -e $root/.stamp ]]; then
    exit 0
fi
mkdir -p .toolkit
exec 9>.toolkit/lock
flock 9
if [[ -e $root/.stamp ]]; then
    exit 0
fi
cargo fetch --quiet --locked --manifest-path tests/foreign/cudarc/Cargo.toml
echo "clients: installing nvidia-ml-py, gpustat, nvitop, cuda-python and tinygrad into $root"
rm -rf "$root"
python3 -m venv "$root"
"$root/bin/pip" install --quiet --disable-pip-version-check \
    nvidia-ml-py==13.615.71 gpustat==1.1.1 nvitop==1.7.2 numpy cuda-bindings==13.5.0 cuda-core==1.2.2 tinygrad==0.14.0
touch "$root/.stamp"
