//! Area `peer`.

use super::types::*;

api_table! { "peer";
    fn cuCtxDisablePeerAccess(peer_context: CUcontext) since 4000 = call(peer::disable);
    fn cuCtxEnablePeerAccess(peer_context: CUcontext, flags: u32) since 4000 = call(peer::enable);
    fn cuDeviceCanAccessPeer(can_access_peer: Out<i32>, dev: CUdevice, peer_dev: CUdevice) since 4000 = call(peer::can_access);
    fn cuDeviceGetP2PAtomicCapabilities(capabilities: Out<u32>, operations: In<CUatomicOperation>, count: u32, src_device: CUdevice, dst_device: CUdevice) since 13000 = call(peer::get_p2p_atomics);
    fn cuDeviceGetP2PAttribute(value: Out<i32>, attrib: CUdevice_P2PAttribute, src_device: CUdevice, dst_device: CUdevice) since 8000 = call(peer::get_p2p_attribute);
}
