#!/usr/bin/env bash
# toolkit-12.sh: what clang needs to build for CUDA 12.9, from PyPI's wheels, as .toolkit/cuda-12.9. These wheels have no
# nvcc and no fatbinary; the latter is 13.0's, which takes the same words but for one that clang still writes the old way.
set -euo pipefail
cd "$(dirname "$0")/.."
release=12.9
root=.toolkit/cuda-$release
venv=.toolkit/venv-$release
newer=.toolkit/cuda-13.0

# bin/fatbinary is written last.
if [[ -x $root/bin/fatbinary ]]; then
    exit 0
fi
mkdir -p .toolkit
exec 9>.toolkit/lock
flock 9
if [[ -x $root/bin/fatbinary ]]; then
    exit 0
fi
echo "toolkit: installing what clang needs of CUDA $release into $root"
rm -rf "$venv" "$root"
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check \
    "nvidia-cuda-nvcc-cu12==$release.*" "nvidia-cuda-runtime-cu12==$release.*" "nvidia-cuda-cccl-cu12==$release.*"
wheels=$(echo "$PWD/$venv"/lib/python3*/site-packages/nvidia)
mkdir -p "$root/bin" "$root/include" "$root/lib64" "$root/nvvm"
for part in cuda_cccl cuda_nvcc cuda_runtime; do
    cp -rs "$wheels/$part/include/." "$root/include/"
done
cp -s "$wheels"/cuda_runtime/lib/*.{a,so.*} "$root/lib64/"
ln -s libcudart.so.12 "$root/lib64/libcudart.so"
ln -s "$wheels/cuda_nvcc/nvvm/libdevice" "$root/nvvm/libdevice"
ln -s "$wheels/cuda_nvcc/bin/ptxas" "$root/bin/ptxas"
# clang's own header asks for one of cuRAND's, which it does not need.
touch "$root/include/curand_mtgp32_kernel.h"
fatbinary=$(readlink -f "$newer/bin/fatbinary")
cat >"$root/bin/fatbinary.new" <<END
#!/usr/bin/env bash
words=()
for word in "\$@"; do
    case \$word in
    *-image=profile=sm_*) word="--image3=kind=elf,sm=\${word#*profile=sm_}" ;;
    *-image=profile=compute_*) word="--image3=kind=ptx,sm=\${word#*profile=compute_}" ;;
    esac
    words+=("\$word")
done
exec "$fatbinary" "\${words[@]}"
END
chmod +x "$root/bin/fatbinary.new"
mv "$root/bin/fatbinary.new" "$root/bin/fatbinary"
