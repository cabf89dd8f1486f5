/// MySQL and MariaDB as sources: their catalog, a snapshot that several connections share, and rows into column
/// writers. The only package that knows their driver.
package dev.quarrel.export.mysql;
