//! RM's object tree: clients, and under each a tree of objects named by handles.

use std::collections::HashMap;
use std::sync::Arc;

use crate::channel::{Channel, Tsg};
use crate::event::Sink;
use crate::file::Owner;
use crate::gpu::Gpu;
use crate::memory::Memory;
use crate::status::{RmResult, Status};
use crate::usermem::FileId;
use crate::usermode::UsermodePage;
use crate::vaspace::VaSpace;

/// Clients of one process.
const CLIENTS_PER_PROCESS: usize = 256;
/// Objects of one client.
const OBJECTS_PER_CLIENT: usize = 1 << 17;

/// First handle that RM chooses for a client.
const CLIENT_BASE: u32 = 0xc1d0_0000;
/// First handle that RM chooses for another object.
const OBJECT_BASE: u32 = 0xcaf0_0000;

/// What an object is.
#[derive(Clone, Debug)]
pub enum Body {
    /// Nothing but a name (display, debugger, confidential compute, MIG monitors, ...).
    Plain,
    /// `NV01_DEVICE_0`, with its default VA space.
    Device(Arc<VaSpace>),
    /// `NV20_SUBDEVICE_0`.
    Subdevice,
    /// Memory.
    Memory(Arc<Memory>),
    /// Virtual memory (0x70, 0x50A0): addresses of a VA space.
    Virtual {
        /// The space.
        space: Arc<VaSpace>,
        /// First address.
        base: u64,
        /// Bytes.
        len: u64,
    },
    /// `FERMI_VASPACE_A`.
    VaSpace(Arc<VaSpace>),
    /// `KEPLER_CHANNEL_GROUP_A`.
    Tsg(Arc<Tsg>),
    /// `FERMI_CONTEXT_SHARE_A`.
    CtxShare(Arc<VaSpace>),
    /// A channel.
    Channel(Arc<Channel>),
    /// An engine object on a channel.
    Engine(Arc<Channel>),
    /// A usermode (doorbell) object.
    Usermode(Arc<UsermodePage>),
    /// `NV01_EVENT_OS_EVENT`.
    Event(Arc<Sink>),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name within the client.
    pub handle: u32,
    /// Its parent's, 0 for the client itself.
    pub parent: u32,
    /// Its class.
    pub class: u32,
    /// The GPU it belongs to.
    pub gpu: Option<Arc<Gpu>>,
    /// What it is.
    pub body: Body,
    /// Whether other clients may duplicate it.
    pub shared: bool,
}

/// A client.
#[derive(Debug)]
pub struct Client {
    /// Its handle.
    pub handle: u32,
    /// The control file it lives and dies with.
    pub file: FileId,
    /// Its process.
    pub owner: Owner,
    /// Whether its objects are shared with other processes of the user by default.
    pub share_all: bool,
    objects: HashMap<u32, Object>,
    children: HashMap<u32, Vec<u32>>,
    next: u32,
    /// Usermode page per GPU.
    pub usermode: HashMap<u32, Arc<UsermodePage>>,
}

/// All clients.
#[derive(Debug, Default)]
pub struct Tree {
    clients: HashMap<u32, Client>,
    next: u32,
}

impl Client {
    /// An object of this client; its own handle is no object.
    ///
    /// # Errors
    /// [`Status::INVALID_OBJECT_HANDLE`].
    pub fn object(&self, handle: u32) -> RmResult<&Object> {
        self.objects
            .get(&handle)
            .ok_or(Status::INVALID_OBJECT_HANDLE)
    }

    /// As [`Client::object`], to change it.
    ///
    /// # Errors
    /// [`Status::INVALID_OBJECT_HANDLE`].
    pub fn object_mut(&mut self, handle: u32) -> RmResult<&mut Object> {
        self.objects
            .get_mut(&handle)
            .ok_or(Status::INVALID_OBJECT_HANDLE)
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    /// Whether the handle names something (also the client).
    #[must_use]
    pub fn names(&self, handle: u32) -> bool {
        handle == self.handle || self.objects.contains_key(&handle)
    }

    /// A handle that is free.
    fn fresh(&mut self) -> RmResult<u32> {
        for _ in 0..=OBJECTS_PER_CLIENT {
            self.next = self.next.wrapping_add(1) & 0x000f_ffff;
            let handle = OBJECT_BASE | self.next;
            if self.next != 0 && !self.names(handle) {
                return Ok(handle);
            }
        }
        Err(Status::INSUFFICIENT_RESOURCES)
    }

    /// Adds an object; handle 0 lets RM choose. Returns its handle.
    ///
    /// # Errors
    /// The parent is gone, the handle taken, or there are too many; the body comes back to be retired.
    pub fn insert(&mut self, mut object: Object) -> Result<u32, (Status, Object)> {
        if self.objects.len() >= OBJECTS_PER_CLIENT {
            return Err((Status::INSUFFICIENT_RESOURCES, object));
        }
        if !self.names(object.parent) {
            return Err((Status::INVALID_OBJECT_PARENT, object));
        }
        if object.handle == 0 {
            match self.fresh() {
                Ok(handle) => object.handle = handle,
                Err(status) => return Err((status, object)),
            }
        } else if self.names(object.handle) {
            return Err((Status::INSERT_DUPLICATE_NAME, object));
        }
        let handle = object.handle;
        self.children.entry(object.parent).or_default().push(handle);
        self.objects.insert(handle, object);
        Ok(handle)
    }

    /// Takes the subtree at `handle` out, children first.
    pub fn remove(&mut self, handle: u32) -> Vec<Object> {
        let mut order = vec![handle];
        let mut at = 0;
        while at < order.len() {
            if let Some(children) = self.children.remove(&order[at]) {
                order.extend(children);
            }
            at += 1;
        }
        let mut out = Vec::new();
        for handle in order.iter().rev() {
            if let Some(object) = self.objects.remove(handle) {
                if let Some(siblings) = self.children.get_mut(&object.parent) {
                    siblings.retain(|h| h != handle);
                }
                out.push(object);
            }
        }
        out
    }
}

impl Tree {
    /// A new client; handle 0 lets RM choose.
    ///
    /// # Errors
    /// The handle is taken, or the process has too many.
    pub fn add_client(&mut self, handle: u32, file: FileId, owner: Owner) -> RmResult<u32> {
        let same = |c: &&Client| c.owner.pid == owner.pid && c.owner.uid == owner.uid;
        if self.clients.values().filter(same).count() >= CLIENTS_PER_PROCESS {
            return Err(Status::INSUFFICIENT_RESOURCES);
        }
        let handle = if handle == 0 {
            loop {
                self.next = self.next.wrapping_add(1) & 0x000f_ffff;
                let handle = CLIENT_BASE | self.next;
                if self.next != 0 && !self.clients.contains_key(&handle) {
                    break handle;
                }
            }
        } else if self.clients.contains_key(&handle) {
            return Err(Status::INSERT_DUPLICATE_NAME);
        } else {
            handle
        };
        self.clients.insert(
            handle,
            Client {
                handle,
                file,
                owner,
                share_all: false,
                objects: HashMap::new(),
                children: HashMap::new(),
                next: 0,
                usermode: HashMap::new(),
            },
        );
        Ok(handle)
    }

    /// A client, as its own process sees it.
    ///
    /// # Errors
    /// [`Status::INVALID_CLIENT`] when there is none or it is another process's.
    pub fn client(&self, handle: u32, caller: &Owner) -> RmResult<&Client> {
        self.clients
            .get(&handle)
            .filter(|c| c.owner.pid == caller.pid && c.owner.uid == caller.uid)
            .ok_or(Status::INVALID_CLIENT)
    }

    /// As [`Tree::client`], to change it.
    ///
    /// # Errors
    /// [`Status::INVALID_CLIENT`].
    pub fn client_mut(&mut self, handle: u32, caller: &Owner) -> RmResult<&mut Client> {
        self.clients
            .get_mut(&handle)
            .filter(|c| c.owner.pid == caller.pid && c.owner.uid == caller.uid)
            .ok_or(Status::INVALID_CLIENT)
    }

    /// A client of any process of the same user (for duplication under a share policy).
    ///
    /// # Errors
    /// [`Status::INVALID_CLIENT`].
    pub fn foreign_client(&self, handle: u32, uid: u32) -> RmResult<&Client> {
        self.clients
            .get(&handle)
            .filter(|c| c.owner.uid == uid)
            .ok_or(Status::INVALID_CLIENT)
    }

    /// Takes a client out with all its objects, children first.
    pub fn remove_client(&mut self, handle: u32) -> Vec<Object> {
        let Some(mut client) = self.clients.remove(&handle) else {
            return Vec::new();
        };
        let mut out = client.remove(handle);
        // Nothing is left; were it not so, it would leak.
        out.extend(client.objects.drain().map(|(_, object)| object));
        out
    }

    /// Handles of the clients that live with a file.
    #[must_use]
    pub fn clients_of(&self, file: FileId) -> Vec<u32> {
        self.clients
            .values()
            .filter(|c| c.file == file)
            .map(|c| c.handle)
            .collect()
    }

    /// All clients.
    pub fn clients(&self) -> impl Iterator<Item = &Client> {
        self.clients.values()
    }
}

/// Ends what freed objects stand for. Call it without any lock: it talks to GPU processes.
pub fn retire(objects: Vec<Object>) {
    // Spaces first: their processes are killed, and nothing else has to be asked of them (a runaway kernel need not
    // come to a safe point).
    for object in &objects {
        if let Body::VaSpace(space) | Body::Device(space) = &object.body {
            space.destroy();
        }
    }
    for object in objects {
        match object.body {
            Body::Channel(channel) => channel.close(),
            Body::Virtual { space, base, len } => space.unmap_within(base, len),
            Body::VaSpace(_)
            | Body::Device(_)
            | Body::Plain
            | Body::Subdevice
            | Body::Memory(_)
            | Body::Tsg(_)
            | Body::CtxShare(_)
            | Body::Engine(_)
            | Body::Usermode(_)
            | Body::Event(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(pid: u32) -> Owner {
        Owner {
            pid,
            uid: 0,
            name: "t".into(),
        }
    }

    fn plain(handle: u32, parent: u32) -> Object {
        Object {
            handle,
            parent,
            class: 0x73,
            gpu: None,
            body: Body::Plain,
            shared: false,
        }
    }

    #[test]
    fn subtrees_go_children_first() {
        let mut tree = Tree::default();
        let c = tree.add_client(0, FileId(1), owner(1)).expect("client");
        assert_eq!(c, 0xc1d0_0001);
        let client = tree.client_mut(c, &owner(1)).expect("mine");
        client.insert(plain(1, c)).expect("1");
        client.insert(plain(2, 1)).expect("2");
        client.insert(plain(3, 2)).expect("3");
        let chosen = client.insert(plain(0, 1)).expect("chosen");
        assert_eq!(chosen, 0xcaf0_0001);
        assert_eq!(
            client.insert(plain(2, 1)).expect_err("taken").0,
            Status::INSERT_DUPLICATE_NAME
        );
        assert_eq!(
            client.insert(plain(9, 8)).expect_err("orphan").0,
            Status::INVALID_OBJECT_PARENT
        );
        let gone: Vec<u32> = client.remove(1).iter().map(|o| o.handle).collect();
        assert_eq!(gone.len(), 4);
        assert_eq!(gone.last(), Some(&1));
        assert!(gone.iter().position(|h| *h == 3) < gone.iter().position(|h| *h == 2));
        assert!(client.object(3).is_err());
        assert_eq!(
            tree.client(c, &owner(2)).expect_err("other"),
            Status::INVALID_CLIENT
        );
        assert!(tree.remove_client(c).is_empty());
        assert_eq!(tree.clients().count(), 0);
    }
}
