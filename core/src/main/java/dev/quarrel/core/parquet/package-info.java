/// Parquet files, written: [ParquetWriter] takes batches, a [ColumnChunk] a column makes pages of them, and
/// [CompactWriter] writes the metadata.
package dev.quarrel.core.parquet;
