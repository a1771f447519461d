//! What independent clients ask (traced, nv-abi.md §5 and §6), against the dispatcher in this process, at the driver
//! version that they speak.

use std::path::PathBuf;
use std::sync::Arc;

use abi::nv::{escapes, status};
use door::Node;
use kernel::config::Config;
use kernel::file::Owner;
use kernel::fuzz::FakeUser;
use kernel::kernel::Kernel;
use kernel::params::{put_u32, put_u64, u32_at};
use kernel::usermem::{FileId, UserMem};

struct Client {
    kernel: Arc<Kernel>,
    user: FakeUser,
    ctl: FileId,
    root: u32,
}

impl Client {
    fn new(gpu: &str, version: &str) -> Self {
        let mut config = Config::new(Some(gpu), Some(version)).expect("configuration");
        config.gpu_bin = PathBuf::from("/nonexistent");
        let kernel = Kernel::new(config, None).expect("kernel");
        let ctl = kernel.open(Node::Control, owner()).expect("open");
        let mut user = FakeUser::new(1);
        user.add_file(3, ctl);
        Self {
            kernel,
            user,
            ctl,
            root: 0,
        }
    }

    fn escape(
        &mut self,
        file: FileId,
        number: u32,
        arg: &mut [u8],
    ) -> Result<(), rustix::io::Errno> {
        let size = u32::try_from(arg.len()).expect("size");
        self.kernel
            .ioctl(file, 0xc000_4600 | size << 16 | number, arg, &mut self.user)
    }

    fn alloc(&mut self, parent: u32, handle: u32, class: u32, params: &[u8]) -> (u32, u32) {
        let address = self.user.arena();
        self.user.write(address, params).expect("arena");
        let mut arg = [0; 48];
        for (at, value) in [(0, self.root), (4, parent), (8, handle), (12, class)] {
            put_u32(&mut arg, at, value);
        }
        put_u64(&mut arg, 16, if params.is_empty() { 0 } else { address });
        self.escape(self.ctl, escapes::RM_ALLOC, &mut arg)
            .expect("RM_ALLOC");
        (u32_at(&arg, 40), u32_at(&arg, 8))
    }

    fn control(&mut self, object: u32, cmd: u32, params: &mut [u8]) -> u32 {
        let address = self.user.arena();
        self.user.write(address, params).expect("arena");
        let mut arg = [0; 32];
        for (at, value) in [(0, self.root), (4, object), (8, cmd)] {
            put_u32(&mut arg, at, value);
        }
        put_u64(&mut arg, 16, address);
        put_u32(&mut arg, 24, u32::try_from(params.len()).expect("size"));
        self.escape(self.ctl, escapes::RM_CONTROL, &mut arg)
            .expect("RM_CONTROL");
        self.user.read(address, params).expect("arena");
        u32_at(&arg, 28)
    }

    fn gpu_id(&self) -> u32 {
        self.kernel.gpus[0].id()
    }
}

fn owner() -> Owner {
    Owner {
        pid: 7,
        uid: 0,
        name: "client".into(),
    }
}

/// The controls that nvidia-smi 535.309.01 sends, with their sizes; those that must not fail are marked.
const NVIDIA_SMI: &[(u32, usize, bool)] = &[
    (0x0000_0214, 256, true),
    (0x0000_021b, 12, true),
    (0x0000_0279, 12, true),
    (0x0000_0215, 132, true),
    (0x0000_0202, 40, true),
    (0x0000_0201, 128, true),
    (0x0080_0289, 4, true),
    (0x2080_0406, 264, true),
    (0x2080_1701, 16, true),
    (0x0000_0101, 40, true),
    (0x2080_0110, 132, true),
    (0x2080_1801, 16, true),
    (0x0080_0288, 4, true),
    (0x2080_0102, 516, true),
    (0x0080_028e, 1, true),
    (0x0080_0294, 4, true),
    (0x2080_8161, 952, false),
    (0x2080_014b, 5, false),
    (0x2080_0157, 0, true),
    (0x2080_0133, 8, true),
    (0x2080_012f, 984, true),
    (0x2080_852e, 528, false),
    (0x2080_852f, 776, false),
    (0x2080_8513, 1432, true),
    (0x2080_a068, 4, true),
    (0x2080_a637, 88024, true),
    (0x2080_a612, 3608, false),
    (0x2080_1303, 436, true),
    (0x2080_9009, 8, true),
    (0x2080_9064, 520, false),
    (0x2080_a097, 1168, true),
    (0x2080_0131, 4, true),
    (0x0080_0292, 644, true),
    (0x2080_018d, 3812, true),
    (0x0000_0216, 128, true),
];

#[test]
fn nvidia_smi_gets_its_table() {
    let mut client = Client::new("h100", "535.309.01");
    let mut version = [0; 72];
    version[8..18].copy_from_slice(b"535.309.01");
    client
        .escape(client.ctl, escapes::CHECK_VERSION_STR, &mut version)
        .expect("version");
    let mut cards = [0; 0x900];
    client
        .escape(client.ctl, escapes::CARD_INFO, &mut cards)
        .expect("cards");
    let (code, root) = client.alloc(0, 0, 0, &[]);
    assert_eq!((code, root), (0, 0xc1d0_0001));
    client.root = root;
    let (code, device) = client.alloc(root, 0xa55a_0000, 0x80, &[0; 56]);
    assert_eq!((code, device), (0, 0xa55a_0000));
    assert_eq!(client.alloc(device, 0xa55a_0010, 0x2080, &[0; 4]).0, 0);
    assert_eq!(client.alloc(root, 0, 0xc639, &[0; 4]).0, 0);
    let id = client.gpu_id();
    for (cmd, size, must) in NVIDIA_SMI {
        let object = match cmd >> 16 {
            0 => root,
            0x80 => device,
            _ => 0xa55a_0010,
        };
        let mut params = vec![0; *size];
        match cmd {
            0x0215 => params
                .chunks_exact_mut(4)
                .skip(1)
                .for_each(|c| c.fill(0xff)),
            0x0101 => {
                put_u32(&mut params, 0, 80);
                for (slot, at) in [8, 16, 24].into_iter().enumerate() {
                    put_u64(
                        &mut params,
                        at,
                        client.user.arena() + 0x1000 + slot as u64 * 256,
                    );
                }
            }
            0x2080_8513 => {
                put_u32(&mut params, 20, 1);
                put_u32(&mut params, 24 + 8, 0x1500);
            }
            0x2080_1303 => {
                put_u32(&mut params, 0, 2);
                put_u32(&mut params, 4, 0x16);
                put_u32(&mut params, 12, 8);
            }
            _ => {}
        }
        if matches!(cmd, 0x0202 | 0x021b | 0x0279 | 0x0215) {
            put_u32(&mut params, 0, id);
        }
        let code = client.control(object, *cmd, &mut params);
        if *must {
            assert_eq!(code, 0, "{cmd:#010x}: {}", status::name(code));
        } else {
            assert_eq!(code, status::NV_ERR_NOT_SUPPORTED, "{cmd:#010x}");
        }
        match cmd {
            0x2080_0110 => assert!(String::from_utf8_lossy(&params).contains("H100")),
            0x2080_1303 => {
                assert!(u32_at(&params, 8) <= u32_at(&params, 16) && u32_at(&params, 16) > 0)
            }
            0x2080_8513 => assert_eq!(u32_at(&params, 24 + 16), 36),
            0x0101 => {
                let mut text = [0; 10];
                let at = client.user.arena() + 0x1000;
                client.user.read(at, &mut text).expect("arena");
                assert_eq!(&text, b"535.309.01");
            }
            _ => {}
        }
    }
    client.kernel.close(client.ctl);
    assert_eq!(client.kernel.tree().clients().count(), 0);
}

/// Controls without which the closed libcuda's cuInit fails.
const CU_INIT: &[u32] = &[
    0x101,
    0x201,
    0x202,
    0x205,
    0x214,
    0x215,
    0x27b,
    0xa04,
    0xd01,
    0xd04,
    0x0080_0280,
    0x0080_0289,
    0x0080_0292,
    0x0080_1307,
    0x0080_1402,
    0x2080_0102,
    0x2080_0110,
    0x2080_0111,
    0x2080_0119,
    0x2080_014a,
    0x2080_0170,
    0x2080_1201,
    0x2080_121b,
    0x2080_1227,
    0x2080_122a,
    0x2080_122b,
    0x2080_1230,
    0x2080_1303,
    0x2080_1701,
    0x2080_1801,
    0x2080_1803,
    0x2080_1823,
    0x2080_2a0a,
    0x2080_3601,
    0x2080_8159,
    0xcb33_0101,
];

#[test]
fn cu_init_finds_its_controls() {
    for version in ["535.309.01", "550.163.01", "580.142"] {
        let client = Client::new("h100", version);
        let handled = kernel::control::handled(&client.kernel);
        for cmd in CU_INIT {
            assert!(
                handled.iter().any(|(number, _)| number == cmd),
                "{cmd:#x} at {version}"
            );
        }
    }
}

#[test]
fn tinygrad_finds_ada() {
    let mut client = Client::new("rtx4090", "580.142");
    client.root = client.alloc(0, 0, 0x41, &[]).1;
    let device = client.alloc(client.root, 0, 0x80, &[0; 56]).1;
    let subdevice = client.alloc(device, 0, 0x2080, &[0; 4]).1;
    let mut version = [0; 1032];
    assert_eq!(client.control(client.root, 0x13e, &mut version), 0);
    assert!(version.starts_with(b"580.142\0"));
    // The class list in two calls: the count, then through a pointer.
    let mut list = [0; 16];
    assert_eq!(client.control(device, 0x0080_0201, &mut list), 0);
    let count = u32_at(&list, 0);
    let at = client.user.arena() + 0x2000;
    put_u64(&mut list, 8, at);
    assert_eq!(client.control(device, 0x0080_0201, &mut list), 0);
    let mut classes = vec![0; count as usize * 4];
    client.user.read(at, &mut classes).expect("arena");
    let classes: Vec<u32> = classes.chunks_exact(4).map(|c| u32_at(c, 0)).collect();
    for class in [0xc9c0, 0xc56f, 0xc7b5, 0xc461] {
        assert!(classes.contains(&class), "{class:#x} in {classes:x?}");
    }
    assert!(!classes.contains(&0xcbc0));
    // Shape of the GPU: GPCs, TPCs, SMs, warps, version.
    let mut info = [0; 40];
    for (slot, index) in [0x14, 0x17, 0x20, 0x0d, 0x0c].into_iter().enumerate() {
        put_u32(&mut info, slot * 8, index);
    }
    client.user.write(at, &info).expect("arena");
    let mut params = [0; 32];
    put_u32(&mut params, 0, 5);
    put_u64(&mut params, 8, at);
    assert_eq!(client.control(subdevice, 0x2080_1201, &mut params), 0);
    client.user.read(at, &mut info).expect("arena");
    let values: Vec<u32> = (0..5).map(|slot| u32_at(&info, slot * 8 + 4)).collect();
    assert_eq!(values, [12, 6, 2, 48, 0x809]);
    // Usermode: Turing's is there, Hopper's is not.
    assert_eq!(client.alloc(subdevice, 0, 0xc461, &[]).0, 0);
    assert_eq!(
        client.alloc(subdevice, 0, 0xc661, &[0; 2]).0,
        status::NV_ERR_INVALID_CLASS
    );
    // RM maps into the device's own space without a GPU process.
    let virtual_memory = client.alloc(device, 0, 0x70, &[0; 24]).1;
    let mut memory = [0; 128];
    put_u64(&mut memory, 0x40, 3 << 20);
    let (code, memory) = client.alloc(device, 0, 0x40, &memory);
    assert_eq!(code, 0);
    let mut dma = [0; 64];
    for (at, value) in [
        (0, client.root),
        (4, device),
        (8, virtual_memory),
        (12, memory),
        (0x20, 0x8110),
    ] {
        put_u32(&mut dma, at, value);
    }
    put_u64(&mut dma, 0x18, 3 << 20);
    put_u64(&mut dma, 0x30, 0x10_0000_0000);
    client
        .escape(client.ctl, escapes::RM_MAP_MEMORY_DMA, &mut dma)
        .expect("MAP_MEMORY_DMA");
    assert_eq!(u32_at(&dma, 0x38), 0);
    let short = client.escape(client.ctl, escapes::RM_MAP_MEMORY_DMA, &mut dma[..56]);
    assert_eq!(short, Err(rustix::io::Errno::INVAL));
    put_u32(
        &mut dma,
        12,
        client
            .alloc(device, 0, 0x3e, &{
                let mut other = [0; 128];
                put_u64(&mut other, 0x40, 4096);
                other
            })
            .1,
    );
    put_u64(&mut dma, 0x18, 4096);
    client
        .escape(client.ctl, escapes::RM_MAP_MEMORY_DMA, &mut dma)
        .expect("MAP_MEMORY_DMA");
    assert_eq!(u32_at(&dma, 0x38), status::NV_ERR_UVM_ADDRESS_IN_USE);
}
