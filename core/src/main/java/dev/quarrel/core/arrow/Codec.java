package dev.quarrel.core.arrow;

/// How the buffers of a record batch are compressed, each by itself.
enum Codec {
    PLAIN,
    LZ4_FRAME,
    ZSTD
}
