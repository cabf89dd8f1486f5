package dev.quarrel.core.cpu.tile;

/// The source of a program's LOADs: columns of a batch, or the values that a join hands on.
public interface TileInput {
    /// The values of input number `input`, defined at least in `rows`.
    ///
    /// A program may load an input several times a tile, under different masks: the same vector may come back,
    /// with more rows in it.
    ///
    /// - Memory: the input owns the vector; it stays as it is until the input moves to its next tile.
    Vector load(int input, Mask rows);

    /// An input without columns: for programs of constants.
    TileInput NONE = (input, _) -> {
        throw new IllegalArgumentException("no input " + input);
    };
}
