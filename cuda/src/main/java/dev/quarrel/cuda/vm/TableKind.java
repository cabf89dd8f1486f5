package dev.quarrel.cuda.vm;

/// The kinds of tables on the device.
public enum TableKind {
    /// One bit a key, in words of 32; its size counts bits. Behind the last one stands a 0, for keys outside.
    BITS,
    /// An int32 a key, -1 for none, and behind the last one -1, for keys outside; or an array of int32.
    DENSE,
    /// Slots of an int64 key and an int64 entry, -1 for none; a power of two of them, one at least free.
    HASH,
    /// An array of int64.
    ARRAY_64,
    /// Slots of the groups' keys, all ones where free; a power of two of them. The kernel writes it.
    GROUPS,
    /// Texts, in words of 64 bits: how many, of each where it begins (upper half, in words) and its bytes' number; then
    /// the bytes, each text from a word on, and a word at least.
    TEXTS
}
