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
    @TempDir
    Path folder;

    @Test
    void isOfTheClassOfAllocatedMemory() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            assertThat(map(arena).getClass())
                    .isEqualTo(arena.allocate(8).getClass())
                    .isEqualTo(new PooledMemory().allocate(8).getClass());
        }
    }

    @Test
    void keepsContentBoundsAndLife() throws IOException {
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = map(arena);
            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3);
            assertThat(memory.isReadOnly()).isTrue();
            assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 3))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    private MemorySegment map(Arena arena) throws IOException {
        Path file = Files.write(folder.resolve("bytes"), new byte[] {1, 2, 3});
        try (FileChannel channel = FileChannel.open(file)) {
            return MappedMemory.asAllocated(channel.map(FileChannel.MapMode.READ_ONLY, 0, 3, arena), arena);
        }
    }
}
