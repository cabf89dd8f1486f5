/// Folders of Arrow files as tables: what is in them, which file belongs to which table, and runs that add or replace
/// files under a manifest.
///
/// [dev.quarrel.core.arrow.dataset.DatasetCatalog] reads, [dev.quarrel.core.arrow.dataset.DatasetWriter] writes.
package dev.quarrel.core.arrow.dataset;
