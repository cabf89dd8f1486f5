package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;

/// The dictionaries of a file, by their ids.
interface FileDictionaries {
    /// One of texts.
    Dictionary texts(long id);

    /// The entries of one of other values.
    Column entries(long id);
}
