package dev.quarrel.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedMemoryTest {
    private static final int BYTES = 99;

    @TempDir
    Path folder;

    @Test
    void partsAreOfTheClassOfAllocatedMemory() throws IOException {
        try (Arena arena = Arena.ofShared();
                PooledMemory memory = new PooledMemory()) {
            MemorySegment mapped = map(arena);
            for (int offset = 0; offset < 17; offset++) {
                for (int size = 0; size < 17; size++) {
                    assertThat(MappedMemory.part(mapped, offset, size).getClass())
                            .isEqualTo(arena.allocate(8).getClass())
                            .isEqualTo(memory.allocate(8).getClass());
                }
            }
        }
    }

    @Test
    void everyPartHasItsBytes() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mapped = map(arena);
            for (int offset = 0; offset <= BYTES; offset++) {
                for (int size = 0; offset + size <= BYTES; size++) {
                    MemorySegment part = MappedMemory.part(mapped, offset, size);
                    assertThat(part.byteSize()).isEqualTo(size);
                    assertThat(part.isReadOnly()).isTrue();
                    assertThat(part.mismatch(mapped.asSlice(offset, size))).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void keepsBoundsAndLife() throws IOException {
        MemorySegment part;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mapped = map(arena);
            part = MappedMemory.part(mapped, 8, 3);
            assertThatThrownBy(() -> part.get(ValueLayout.JAVA_BYTE, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> MappedMemory.part(mapped, 90, 10)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> MappedMemory.part(mapped, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> MappedMemory.part(mapped, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> part.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    private MemorySegment map(Arena arena) throws IOException {
        byte[] bytes = new byte[BYTES];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) at;
        }
        Path file = Files.write(folder.resolve("bytes"), bytes);
        try (FileChannel channel = FileChannel.open(file)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES, arena);
        }
    }
}
