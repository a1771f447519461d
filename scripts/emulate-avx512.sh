#!/usr/bin/env bash
# emulate-avx512.sh [FIRST..LAST]: the compiled code for AVX-512, on a machine without it: every file test and the random
# programs of those seeds (0..400) are compiled here and run in an emulated processor, under Debian's kernel.
#
# BOCHS is the emulator, built with --with-nogui --enable-x86-64 --enable-evex --enable-cpu-level=6 --enable-pci. Bochs 2.7
# rounds wrongly to binary16; 3.0 refuses gathers whose index is in the upper sixteen registers, which
# `vvv &= 0xf;` after setSibIndex in cpu/decoder/fetchdecode32.cc mends.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-0..400}
: "${BOCHS:?the path of bochs}"
export LLVM_SYS_191_PREFIX=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}
work=${CARGO_TARGET_DIR:-target}/avx512
rm -rf "$work"
mkdir -p "$work"/{code,iso/isolinux,kernel,root/{bin,proc,dev,tmp,code}}
work=$(realpath "$work")

apt-get install --yes --quiet --no-install-recommends \
    bochsbios vgabios isolinux syslinux-common xorriso busybox-static cpio >"$work/apt.log"
image=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends/ { print $2; exit }')
(cd "$work/kernel" && apt-get download --quiet "$image" >>"$work/apt.log" 2>&1 && dpkg-deb --extract ./*.deb .)

tests=$(realpath crates/ptxjit/tests)
for name in filetests random; do
    built=$(cargo test --locked --package ptxjit --test "$name" --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
    strip -o "$work/root/bin/$name" "$built"
    (
        cd crates/ptxjit
        export ANTLERITE_COMPILE_TO=$work/code ANTLERITE_PROGRAMS=$programs ANTLERITE_FUZZ=0..8
        "$work/root/bin/$name" >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; exit 1; }
    )
done

root=$work/root
cp /bin/busybox "$root/bin/"
cp "$work"/code/* "$root/code/"
mkdir -p "$root$tests" && cp -r "$tests/filetests" "$root$tests/"
ldd "$root"/bin/{filetests,random} | grep -o '/[^ )]*' | grep -v ':$' | sort -u | while read -r library; do
    mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"
done
cat >"$root/init" <<END
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs tmp /tmp
export ANTLERITE_CODE_FROM=/code RUST_BACKTRACE=0
export ANTLERITE_PROGRAMS=$programs ANTLERITE_FUZZ=0..8
/bin/filetests --color=never -q --test-threads=1 avx512 && /bin/random --nocapture && echo "avx512: all passed"
/bin/busybox poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio --create --format=newc --quiet) >"$work/iso/initrd"
cp "$work"/kernel/boot/vmlinuz-* "$work/iso/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/iso/isolinux/"
# What Bochs says of the size of the compacted state, Linux does not believe: it then uses no AVX at all.
cat >"$work/iso/isolinux/isolinux.cfg" <<'END'
default linux
prompt 0
label linux
 kernel /vmlinuz
 append initrd=/initrd console=ttyS0,115200 quiet lpj=100000 clearcpuid=xsavec noxsaves nokaslr noapic tsc=reliable panic=1
END
xorriso -as mkisofs -quiet -o "$work/cd.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
    -boot-load-size 4 -boot-info-table "$work/iso" 2>>"$work/apt.log"
cat >"$work/bochsrc" <<END
display_library: nogui
cpu: model=corei7_skylake_x, count=1, ips=50000000
megs: 2048
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
boot: cdrom
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/cd.iso, status=inserted
com1: enabled=1, mode=file, dev=$work/serial
log: $work/bochs.log
panic: action=fatal
clock: sync=none, time0=local
END
"$BOCHS" -q -f "$work/bochsrc" </dev/null >"$work/bochs.out" 2>&1 || true
grep --text --invert-match '^\[' "$work/serial"
grep --text --quiet 'avx512: all passed' "$work/serial"
