/// Memory outside the heap that is used again: regions, the pool that keeps them, and what hands out parts of them.
package dev.quarrel.core.memory;
