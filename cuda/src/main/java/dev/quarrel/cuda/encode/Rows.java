package dev.quarrel.cuda.encode;

/// A mask: the rows that instructions act on.
final class Rows {
    final Rows outer;
    int slot = -1;
    int uses;

    Rows(Rows outer) {
        this.outer = outer;
    }

    boolean isWithin(Rows other) {
        for (Rows rows = this; rows != null; rows = rows.outer) {
            if (rows == other) {
                return true;
            }
        }
        return false;
    }
}
