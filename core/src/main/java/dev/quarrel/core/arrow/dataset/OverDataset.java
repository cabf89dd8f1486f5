package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.table.Catalog;

/// A catalog whose tables are a dataset's, perhaps with more than its files hold: what writes to the dataset finds it
/// here.
public interface OverDataset extends Catalog {
    DatasetCatalog dataset();
}
