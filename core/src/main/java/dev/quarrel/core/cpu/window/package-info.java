/// Window functions over sorted rows: frames, functions, and windows larger than memory.
package dev.quarrel.core.cpu.window;
