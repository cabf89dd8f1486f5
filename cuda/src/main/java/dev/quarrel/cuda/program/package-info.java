/// The inputs of a program on the device: its code, its columns, and the tables that it looks values up in.
package dev.quarrel.cuda.program;
