#!/usr/bin/env bash
# toolkit.sh RELEASE: the CUDA toolkit of that release (such as 13.0) from PyPI's wheels, as .toolkit/cuda-RELEASE.
# The wheels are the user's to accept; nothing of them is part of this repository.
set -euo pipefail
cd "$(dirname "$0")/.."
release=$1
root=.toolkit/cuda-$release
venv=.toolkit/venv-$release

# The wheels' layout differs from an installed toolkit's in two links that nvcc relies on: its profile points the
# linker at lib64, and -cudart shared asks for an unversioned libcudart.so.
complete() {
    [[ -x $root/bin/nvcc && -e $root/lib64/libcudart_static.a && -e $root/lib64/libcudart.so && -e $root/nvvm/bin/cicc ]]
}
if complete; then
    exit 0
fi

mkdir -p .toolkit
exec 9>.toolkit/lock
flock 9
if complete; then
    exit 0
fi
echo "toolkit: installing CUDA $release into $root"
rm -rf "$venv" "$root"
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check \
    "nvidia-cuda-nvcc==$release.*" "nvidia-cuda-runtime==$release.*" \
    "nvidia-cuda-crt==$release.*" "nvidia-nvvm==$release.*"
wheels=$(echo "$PWD/$venv"/lib/python3*/site-packages/nvidia/cu13)
[[ -x $wheels/bin/nvcc ]] || {
    echo "toolkit: the wheels hold no bin/nvcc under $wheels" >&2
    exit 1
}
ln -sfn lib "$wheels/lib64"
ln -sfn libcudart.so.13 "$wheels/lib/libcudart.so"
ln -sfn "${wheels#"$PWD/.toolkit/"}" "$root"
complete || {
    echo "toolkit: $root is not complete" >&2
    exit 1
}
