/// Memory outside the heap that is used again: regions, the pool that keeps them, and the allocators that hand
/// out parts of them.
package dev.quarrel.core.memory;
