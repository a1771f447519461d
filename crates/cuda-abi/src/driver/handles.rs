//! Handles: opaque to the caller, and to us only names ("slot, generation, type" in the value); never dereferenced.
#![expect(missing_docs, reason = "NVIDIA's names")]

use super::handle;

handle!(CUcontext);
handle!(CUmodule);
handle!(CUfunction);
handle!(CUlibrary);
handle!(CUkernel);
handle!(CUarray);
handle!(CUmipmappedArray);
handle!(CUtexref);
handle!(CUsurfref);
handle!(CUevent);
handle!(CUstream);
handle!(CUgraphicsResource);
handle!(CUexternalMemory);
handle!(CUexternalSemaphore);
handle!(CUgraph);
handle!(CUgraphNode);
handle!(CUgraphExec);
handle!(CUmemoryPool);
handle!(CUuserObject);
handle!(CUgraphDeviceNode);
handle!(CUasyncCallbackHandle);
handle!(CUgreenCtx);
handle!(CUlinkState);
handle!(CUdevResourceDesc);
handle!(CUlogsCallbackHandle);
handle!(CUeglStreamConnection);
