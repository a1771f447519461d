//! Controls of channels, channel groups and events.

use std::sync::atomic::Ordering;

use abi::nv::control_params::{
    NV0080_CTRL_FIFO_GET_CHANNELLIST_PARAMS, NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS,
};

use super::Control;
use crate::event::{INDEX, NONSTALL};
use crate::object::Body;
use crate::params::{load, put_u32};
use crate::status::{RmResult, Status};

/// GPFIFO_SCHEDULE of a group: all its channels.
pub(super) fn schedule_group(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let Body::Tsg(tsg) = &call.body else {
        return Err(Status::INVALID_OBJECT);
    };
    let run = params.first().is_some_and(|b| *b != 0);
    tsg.scheduled.store(run, Ordering::SeqCst);
    for channel in tsg.live() {
        channel.schedule(run)?;
    }
    Ok(())
}

/// GPFIFO_SCHEDULE of a channel.
pub(super) fn schedule(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let Body::Channel(channel) = &call.body else {
        return Err(Status::INVALID_OBJECT);
    };
    channel.schedule(params.first().is_some_and(|b| *b != 0))
}

/// GPFIFO_GET_WORK_SUBMIT_TOKEN: the channel id.
pub(super) fn token(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let Body::Channel(channel) = &call.body else {
        return Err(Status::INVALID_OBJECT);
    };
    put_u32(params, 0, channel.id);
    Ok(())
}

/// GET_CLASS_ENGINEID of an engine object or channel: {hObject, classEngineID, classID, engineID}.
pub(super) fn engine_id(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let channel = match &call.body {
        Body::Channel(channel) | Body::Engine(channel) => channel,
        _ => return Err(Status::INVALID_OBJECT),
    };
    put_u32(params, 4, channel.engine);
    Ok(())
}

/// Handles in one channel list.
const MAX_LIST: u32 = 4096;

/// FIFO_GET_CHANNELLIST: channel ids of handles, through pointers.
pub(super) fn channel_list(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let wanted: NV0080_CTRL_FIFO_GET_CHANNELLIST_PARAMS = load(params);
    if wanted.numChannels == 0 || wanted.numChannels > MAX_LIST {
        return Err(Status::INVALID_ARGUMENT);
    }
    let count = usize::try_from(wanted.numChannels).map_err(|_| Status::INVALID_ARGUMENT)?;
    let mut handles = vec![0; count * 4];
    call.user
        .read(wanted.pChannelHandleList, &mut handles)
        .map_err(|_| Status::INVALID_ADDRESS)?;
    let mut ids = Vec::with_capacity(handles.len());
    for handle in handles.chunks_exact(4) {
        let handle = crate::params::u32_at(handle, 0);
        let Body::Channel(channel) = call.kernel.body(&call.file.owner, call.client, handle)?
        else {
            return Err(Status::INVALID_CHANNEL);
        };
        ids.extend_from_slice(&channel.id.to_le_bytes());
    }
    call.user
        .write(wanted.pChannelList, &ids)
        .map_err(|_| Status::INVALID_ADDRESS)
}

/// `NV2080_CTRL_EVENT_SET_NOTIFICATION_ACTION_*`.
const DISABLE: u32 = 0;
const SINGLE: u32 = 1;
const REPEAT: u32 = 2;

/// EVENT_SET_NOTIFICATION: arms the client's events of an index under this subdevice.
pub(super) fn set_notification(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let wanted: NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS = load(params);
    if !matches!(wanted.action, DISABLE | SINGLE | REPEAT) {
        return Err(Status::INVALID_ARGUMENT);
    }
    let (client, object) = (call.client, call.object);
    call.gpu()?.each_sink(|sink| {
        let mine = sink.client == client && sink.source == object && sink.notify & NONSTALL == 0;
        if mine && sink.notify & INDEX == wanted.event & INDEX {
            sink.single
                .store(wanted.action == SINGLE, Ordering::Relaxed);
            sink.armed
                .store(wanted.action != DISABLE, Ordering::Relaxed);
        }
    });
    Ok(())
}
