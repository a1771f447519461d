//! `CUDA_VISIBLE_DEVICES`: which devices the process sees, and in which order.
//!
//! Items are separated by commas. An item is an index (leading digits count, as `atoi` does), or a UUID or a unique
//! prefix of one (`GPU-…`). The first item that is neither, or names no device, or is of another kind than the first,
//! ends the list. A device named twice is an error.

use cuda_abi::driver::CUresult;

/// Indices into `uuids` of the devices to see, for the value of the variable (`None`: not set).
///
/// # Errors
/// 101 when a device is named twice. An empty list is not an error here.
pub(crate) fn select(value: Option<&str>, uuids: &[String]) -> Result<Vec<usize>, CUresult> {
    let Some(value) = value else {
        return Ok((0..uuids.len()).collect());
    };
    let mut chosen: Vec<usize> = Vec::new();
    let mut by_index = None;
    for item in value.split(',').map(str::trim) {
        let (index, is_index) = if item.starts_with("GPU-") {
            (by_uuid(item, uuids), false)
        } else {
            (number(item), true)
        };
        let Some(index) = index.filter(|index| *index < uuids.len()) else {
            break;
        };
        if *by_index.get_or_insert(is_index) != is_index {
            break;
        }
        if chosen.contains(&index) {
            return Err(CUresult::INVALID_DEVICE);
        }
        chosen.push(index);
    }
    Ok(chosen)
}

/// The leading decimal digits.
fn number(item: &str) -> Option<usize> {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    item[..digits].parse().ok()
}

/// The only device whose UUID starts so.
fn by_uuid(prefix: &str, uuids: &[String]) -> Option<usize> {
    let mut found = uuids.iter().enumerate().filter(|(_, uuid)| {
        uuid.get(..prefix.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    });
    let (index, _) = found.next()?;
    found.next().is_none().then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(value: &str) -> Result<Vec<usize>, CUresult> {
        let uuids = ["GPU-11112222-aa", "GPU-11113333-bb", "GPU-44445555-cc"].map(String::from);
        select(Some(value), &uuids)
    }

    #[test]
    fn cases_from_public_reports() {
        assert_eq!(seen(""), Ok(vec![]));
        assert_eq!(seen("0,2,-1,1"), Ok(vec![0, 2]));
        assert_eq!(seen("1gpu2,2ampere"), Ok(vec![1, 2]));
        assert_eq!(seen("0,5"), Ok(vec![0]));
        assert_eq!(seen("5"), Ok(vec![]));
        assert_eq!(seen("0,0"), Err(CUresult::INVALID_DEVICE));
        assert_eq!(seen("GPU-4444"), Ok(vec![2]));
        assert_eq!(seen("GPU-1111"), Ok(vec![]), "not unique");
        assert_eq!(seen("GPU-4444,0"), Ok(vec![2]), "mixed kinds end the list");
        assert_eq!(seen("0,GPU-4444"), Ok(vec![0]));
        assert_eq!(seen("MIG-1234"), Ok(vec![]));
        assert_eq!(seen("NoDevFiles"), Ok(vec![]));
        assert_eq!(seen("-1"), Ok(vec![]));
        assert_eq!(seen(" 2 , 0 "), Ok(vec![2, 0]));
    }

    #[test]
    fn unset_is_all() {
        assert_eq!(
            select(None, &["GPU-a".into(), "GPU-b".into()]),
            Ok(vec![0, 1])
        );
    }
}
