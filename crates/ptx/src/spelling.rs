//! Enums whose values have one spelling each: written once, for parsing and printing alike.

/// Declares an enum whose values have one spelling each.
macro_rules! spelled {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`.", $text, "`")] $variant,)+ }

        impl $name {
            /// All values, in the order declared.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The spelling without the leading dot.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value with this spelling (without the leading dot).
            #[must_use]
            #[inline]
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
pub(crate) use spelled;
