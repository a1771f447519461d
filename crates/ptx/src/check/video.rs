//! Video instructions (PTX ISA 9.0, 9.7.17 and 9.7.18).

use super::body::BodyChecker;
use super::instruction::modifier_error;
use super::operands::Args;
use crate::ast;
use crate::checked::Operand;
use crate::error::ErrorKind;
use crate::kind::{Kind, ModifierError};
use crate::types::ScalarType;
use crate::video::{Video, VideoOp};

/// Checks a video instruction.
pub(super) fn check<'a>(
    checker: &mut BodyChecker<'_, 'a>,
    source: &ast::Instruction<'a>,
) -> Option<(Kind, Vec<Operand>, Vec<Operand>)> {
    let mut video = match Video::parse(source.opcode.text, &source.modifiers) {
        Ok(video) => video,
        Err(unfit) => {
            let at = source.modifiers.iter().position(|m| Some(*m) == unfit);
            let error = at.map_or(
                ModifierError::Missing("ScalarType"),
                ModifierError::Unexpected,
            );
            let kind = modifier_error(source.opcode.text, &source.modifiers, error);
            checker.error(source.opcode.pos, kind);
            return None;
        }
    };
    let mut args = Args::new(checker, source);
    let word = |signed| {
        if signed {
            ScalarType::S32
        } else {
            ScalarType::U32
        }
    };
    let [a, b] = video.sources_signed.map(word);
    if let Some(text) = args.video_operand(word(video.signed), true)
        && !video.select_destination(text)
    {
        args.unknown_video_selector(text);
    }
    for (number, ty) in [a, b].into_iter().enumerate() {
        if let Some(ast::Operand::Negated { .. }) = args.peek() {
            video.negated[0] ^= true;
        }
        if let Some(text) = args.video_operand(ty, false)
            && !video.select_source(number, text)
        {
            args.unknown_video_selector(text);
        }
    }
    let third = video.lanes > 1
        || video.op == VideoOp::Mad
        || video.secondary.is_some()
        || video.merge.is_some();
    if third || args.more() {
        if let Some(ast::Operand::Negated { .. }) = args.peek() {
            video.negated[1] = true;
        }
        if let Some(text) = args.video_operand(ScalarType::B32, false) {
            args.unknown_video_selector(text);
        }
    }
    let negated = video.negated != [false; 2];
    if negated && (video.op != VideoOp::Mad || video.plus_one || video.negated == [true; 2]) {
        let instruction = args.name();
        args.error(ErrorKind::Arguments { instruction });
    }
    let (dsts, srcs) = args.finish();
    Some((Kind::Video(video), dsts, srcs))
}
