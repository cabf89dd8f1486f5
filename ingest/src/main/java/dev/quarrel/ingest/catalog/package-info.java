/// Tables as statements see them: their files, and the rows that are in none yet.
package dev.quarrel.ingest.catalog;
