/// How much planning one statement may do, and what ends it early.
package dev.quarrel.calcite.limits;
