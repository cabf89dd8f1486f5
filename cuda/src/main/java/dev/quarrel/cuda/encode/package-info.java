/// From pipelines to programs of the interpreter: [ProgramEncoder] walks a pipeline, an encoder for each of its parts
/// writes instructions, and [Hand] keeps track of what they find in hand and in slots.
package dev.quarrel.cuda.encode;
