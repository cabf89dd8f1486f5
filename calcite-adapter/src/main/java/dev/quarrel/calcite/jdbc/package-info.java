/// Quarrel as a schema of Calcite's own JDBC driver: `jdbc:calcite:model=…`.
package dev.quarrel.calcite.jdbc;
