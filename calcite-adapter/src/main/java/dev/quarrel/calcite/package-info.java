/// SQL over Arrow datasets: what servers, command lines and applications call.
///
/// [Engine] → [SqlSession] → [PreparedQuery] → [Execution].
package dev.quarrel.calcite;
