package dev.quarrel.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The facade over a driver without a device, whose streams do nothing until they are waited for.
class CudaContextTest {
    private static final int OUT_OF_MEMORY = 2;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final long MIB = 1L << 20;

    private DriverAccess driver;

    @BeforeEach
    void start() {
        DriverProbe probe = DriverProbe.of(FakeDriver.start());
        driver = ((DriverProbe.Ready) probe).driver();
    }

    private CudaContext open() {
        return CudaContext.open(driver, 0);
    }

    /// A bit of everything: copies in and out through the ring, a kernel, an arena that grows.
    private void useEverything() {
        try (CudaContext context = open();
                MemoryPool pool = context.newPool();
                Stream copies = context.newStream();
                Stream work = context.newStream();
                Event copied = Event.forWaiting(context);
                PinnedRing ring = new PinnedRing(context, 2, 4096);
                KernelModule module = context.load(Fatbin.find("probe_bench").orElseThrow());
                LaunchParameters parameters = new LaunchParameters(48);
                DeviceBuffer source = pool.allocate(copies, 16 * 4096);
                DeviceBuffer target = pool.allocate(copies, 16 * 4096);
                GrowableArena arena = context.reserve(work, 16 * MIB)) {
            for (int piece = 0; piece < 16; piece++) {
                PinnedRing.Slot slot = take(ring);
                slot.segment().fill((byte) (piece + 1));
                copies.copyToDevice(slot.segment(), source, piece * 4096L);
                slot.giveBackAfter(copies);
            }
            copied.record(copies);
            work.waitFor(copied);
            MemorySegment struct = parameters.struct();
            struct.set(ValueLayout.JAVA_LONG, 0, source.address());
            struct.set(ValueLayout.JAVA_LONG, 8, target.address());
            struct.set(ValueLayout.JAVA_LONG, 16, 4096);
            struct.set(ValueLayout.JAVA_LONG, 40, target.address());
            module.kernel("probe_copy").launch(work, 2, 256, 0, parameters);
            struct.fill((byte) 0xFF); // the launch has its own copy
            arena.growTo(1);
            work.copy(target, 0, arena, 0, 16 * 4096);
            work.synchronize();
            arena.growTo(5 * MIB);
            try (PinnedBuffer result = context.allocatePinned(16 * 4096)) {
                work.copyToHost(arena, 0, result.segment());
                work.synchronize();
                for (int piece = 0; piece < 16; piece++) {
                    assertThat(result.segment().get(ValueLayout.JAVA_BYTE, piece * 4096L + 77))
                            .isEqualTo((byte) (piece + 1));
                }
            }
            assertThat(context.openResources()).isPositive();
        }
    }

    private static PinnedRing.Slot take(PinnedRing ring) {
        try {
            return ring.take(10_000);
        } catch (InterruptedException interrupt) {
            throw new AssertionError(interrupt);
        }
    }

    @Test
    void everythingIsClosed() {
        useEverything();
        assertThat(FakeDriver.open()).isEmpty();
    }

    /// Whichever call fails, and whenever: the error says which, and nothing stays open.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "cuDevicePrimaryCtxRetain",
                "cuCtxSetCurrent",
                "cuMemPoolCreate",
                "cuMemPoolSetAttribute",
                "cuStreamCreate",
                "cuEventCreate",
                "cuMemHostAlloc",
                "cuMemHostGetDevicePointer",
                "cuModuleLoadData",
                "cuModuleGetFunction",
                "cuMemAllocFromPoolAsync",
                "cuMemGetAllocationGranularity",
                "cuMemAddressReserve",
                "cuMemCreate",
                "cuMemMap",
                "cuMemSetAccess",
                "cuMemcpyHtoDAsync",
                "cuMemcpyDtoHAsync",
                "cuMemcpyDtoDAsync",
                "cuEventRecord",
                "cuEventSynchronize",
                "cuStreamWaitEvent",
                "cuLaunchKernel",
                "cuStreamSynchronize"
            })
    void aCallThatFailsLeavesNothingOpen(String call) {
        useEverything();
        int calls = FakeDriver.calls(call);
        assertThat(calls).isPositive();
        // Nobody needs the errors of the last waits, those of the arena and of the ring's two buffers before they go.
        int told =
                switch (call) {
                    case "cuStreamSynchronize" -> calls - 1;
                    case "cuEventSynchronize" -> calls - 2;
                    default -> calls;
                };
        for (int failing = 0; failing < told; failing++) {
            start();
            FakeDriver.fail(call, OUT_OF_MEMORY, failing);
            CudaException failure = catchThrowableOfType(CudaException.class, this::useEverything);
            assertThat(failure).as("%s, time %d", call, failing).isNotNull();
            assertThat(failure.call()).isEqualTo(call);
            assertThat(failure.isOutOfMemory()).isTrue();
            assertThat(failure.isSticky()).isFalse();
            if (!call.equals("cuStreamSynchronize")) { // after which the device is out of use, and takes all along
                assertThat(FakeDriver.open()).as("%s, time %d", call, failing).isEmpty();
            }
        }
    }

    @Test
    void afterAStickyErrorTheDeviceIsDown() {
        try (CudaContext context = open();
                MemoryPool pool = context.newPool();
                Stream stream = context.newStream();
                DeviceBuffer buffer = pool.allocate(stream, 1024)) {
            assertThat(context.downReason()).isNull();
            FakeDriver.fail("cuStreamSynchronize", ILLEGAL_ADDRESS, 0);
            assertThatThrownBy(stream::synchronize)
                    .isInstanceOfSatisfying(CudaException.class, failure -> {
                        assertThat(failure.isSticky()).isTrue();
                        assertThat(failure.errorName()).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
                    })
                    .hasMessage("cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
            int calls = FakeDriver.calls("cuMemsetD8Async");
            assertThatThrownBy(() -> stream.fill(buffer, 0, 1, (byte) 0)).isSameAs(context.downReason());
            assertThatThrownBy(() -> pool.allocate(stream, 1)).isSameAs(context.downReason());
            assertThat(FakeDriver.calls("cuMemsetD8Async")).isEqualTo(calls);
        } // closing does not fail: there is nothing left to give back
    }

    @Test
    void anErrorOfAKernelIsToldToWhoeverWaits() {
        try (CudaContext context = open();
                Stream stream = context.newStream();
                KernelModule module = context.load(Fatbin.find("probe_bench").orElseThrow());
                LaunchParameters parameters = new LaunchParameters(48)) {
            parameters.struct().set(ValueLayout.JAVA_LONG, 40, 0x1234);
            module.kernel("probe_read").launch(stream, 1, 32, 0, parameters);
            assertThatThrownBy(stream::synchronize).hasMessageContaining("ILLEGAL_ADDRESS");
            assertThat(context.downReason()).isNotNull();
        }
    }

    @Test
    void memoryIsCheckedBeforeTheDriverIsAsked() {
        try (CudaContext context = open();
                MemoryPool pool = context.newPool();
                Stream stream = context.newStream();
                DeviceBuffer buffer = pool.allocate(stream, 100);
                Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(100);
            assertThatThrownBy(() -> stream.copyToDevice(host, buffer, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> stream.copyToHost(buffer, -1, host)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> stream.copyToHost(buffer, 0, host.asReadOnly()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> stream.copyToDevice(MemorySegment.ofArray(new byte[10]), buffer, 0))
                    .hasMessageContaining("Java heap");
            stream.copyToDevice(host.asSlice(0, 0), buffer, 100);
            assertThatThrownBy(() -> pool.allocate(stream, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new LaunchParameters(4097)).isInstanceOf(IllegalArgumentException.class);
            DeviceBuffer gone = pool.allocate(stream, 1);
            gone.close();
            gone.close();
            assertThatThrownBy(() -> stream.fill(gone, 0, 1, (byte) 0)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void memoryThatIsNotThereIsAnErrorThatOneCanLiveWith() {
        FakeDriver.device(1, 13_000, 9, 0, 64 * MIB);
        try (CudaContext context = open();
                MemoryPool pool = context.newPool();
                Stream stream = context.newStream()) {
            assertThatThrownBy(() -> pool.allocate(stream, 2L << 30))
                    .hasMessage("cuMemAllocFromPoolAsync: CUDA_ERROR_OUT_OF_MEMORY, 2147483648 bytes");
            assertThat(context.downReason()).isNull();
            try (DeviceBuffer half = pool.allocate(stream, 32 * MIB);
                    GrowableArena arena = context.reserve(stream, 256 * MIB)) {
                assertThat(pool.usedBytes()).isEqualTo(half.bytes());
                assertThat(context.freeBytes()).isEqualTo(32 * MIB);
                arena.growTo(16 * MIB);
                long address = arena.address();
                assertThatThrownBy(() -> arena.growTo(48 * MIB)).hasMessageContaining("OUT_OF_MEMORY");
                assertThat(arena.bytes()).isEqualTo(16 * MIB);
                arena.growTo(32 * MIB);
                assertThat(arena.address()).isEqualTo(address);
                assertThat(arena.pieceCount()).isEqualTo(2);
                assertThatThrownBy(() -> arena.growTo(257 * MIB)).isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void anArenasPieceCanBeHandedToAnotherProcess() throws Exception {
        try (CudaContext context = open();
                Stream stream = context.newStream();
                GrowableArena arena = context.reserve(stream, 8 * MIB)) {
            arena.growTo(2 * MIB);
            stream.fill(arena, 0, 2 * MIB, (byte) 42);
            stream.synchronize();
            int descriptor = arena.exportPiece(0);
            byte[] shared;
            try (var file = new java.io.FileInputStream("/proc/self/fd/" + descriptor)) {
                shared = file.readNBytes(100);
            }
            assertThat(shared).containsOnly(42);
            new java.io.FileOutputStream("/proc/self/fd/" + descriptor).close();
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void theRingGivesABufferOutWhenItsCopyHasArrived() throws InterruptedException {
        try (CudaContext context = open();
                MemoryPool pool = context.newPool();
                Stream stream = context.newStream();
                DeviceBuffer buffer = pool.allocate(stream, 64);
                PinnedRing ring = new PinnedRing(context, 2, 64);
                PinnedBuffer result = context.allocatePinned(64)) {
            for (int round = 1; round <= 5; round++) {
                PinnedRing.Slot slot = ring.take(1000);
                slot.segment().fill((byte) round);
                stream.copyToDevice(slot.segment(), buffer, 0);
                slot.giveBackAfter(stream);
                assertThatThrownBy(slot::segment).isInstanceOf(IllegalStateException.class);
            }
            stream.copyToHost(buffer, 0, result.segment());
            stream.synchronize();
            assertThat(result.segment().get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) 5);
            PinnedRing.Slot first = ring.take(1000);
            PinnedRing.Slot second = ring.take(1000);
            assertThat(ring.take(1)).isNull();
            first.giveBack();
            assertThat(ring.take(1)).isSameAs(first);
            second.giveBack();
            first.giveBack();
        }
        assertThat(FakeDriver.open()).isEmpty();
    }

    @Test
    void eventsMeasureAndTell() {
        try (CudaContext context = open();
                Stream stream = context.newStream();
                Event start = Event.forTiming(context);
                Event end = Event.forTiming(context)) {
            assertThat(stream.isIdle()).isTrue();
            start.record(stream);
            end.record(stream);
            assertThat(stream.isIdle()).isFalse();
            end.synchronize();
            assertThat(end.isPassed()).isTrue();
            assertThat(stream.isIdle()).isTrue();
            assertThat(end.secondsSince(start)).isEqualTo(0.001f, org.assertj.core.data.Offset.offset(1e-6));
        }
    }

    @Test
    void aKernelIsLaunchedWithItsStruct() {
        try (CudaContext context = open();
                Stream stream = context.newStream();
                KernelModule module = context.load(Fatbin.find("probe_bench").orElseThrow());
                LaunchParameters parameters = new LaunchParameters(48)) {
            KernelFunction kernel = module.kernel("probe_empty");
            assertThat(kernel.registers()).isEqualTo(32);
            assertThat(kernel.blocksPerMultiprocessor(1024, 0)).isEqualTo(2);
            assertThatThrownBy(() -> kernel.launch(stream, 1, 32, 100 << 10, parameters))
                    .hasMessageContaining("probe_empty, 1 blocks of 32 threads, 102400 bytes of shared memory");
            kernel.allowSharedBytes(100 << 10);
            for (int index = 0; index < 48; index++) {
                parameters.struct().set(ValueLayout.JAVA_BYTE, index, (byte) index);
            }
            kernel.launch(stream, 3, 64, 100 << 10, parameters);
            stream.synchronize();
            FakeDriver.Launch launch = FakeDriver.lastLaunch(48);
            assertThat(launch.kernel()).isEqualTo("probe_empty");
            assertThat(new int[] {launch.blocks(), launch.threads(), launch.sharedBytes()})
                    .containsExactly(3, 64, 100 << 10);
            assertThat(launch.parameters()).isEqualTo(parameters.struct().toArray(ValueLayout.JAVA_BYTE));
            assertThatThrownBy(() -> module.kernel("nothing")).hasMessageContaining("nothing of probe_bench.fatbin");
        }
    }

    @Test
    void aFatbinWithoutCodeForTheDeviceIsToldApart() {
        try (CudaContext context = open()) {
            FakeDriver.fail("cuModuleLoadData", 209, 0);
            assertThatThrownBy(() -> context.load(Fatbin.find("probe_bench").orElseThrow()))
                    .isInstanceOfSatisfying(
                            CudaException.class,
                            failure -> assertThat(failure.isWithoutImage()).isTrue())
                    .hasMessageContaining("probe_bench.fatbin on Fake GPU, compute capability 9.0");
            assertThatThrownBy(() -> context.load(new Fatbin("broken", new byte[100])))
                    .hasMessageContaining("INVALID_IMAGE");
        }
        assertThat(Fatbin.find("no_such")).isEmpty();
    }

    @Test
    void allPlatformThreadsMayCallAndNoVirtualOne() throws Exception {
        try (CudaContext context = open()) {
            FutureTask<Long> platform = new FutureTask<>(context::freeBytes);
            Thread.ofPlatform().start(platform);
            assertThat(platform.get()).isEqualTo(1L << 30);
            FutureTask<Long> virtual = new FutureTask<>(context::freeBytes);
            Thread.ofVirtual().start(virtual);
            assertThatThrownBy(virtual::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("a virtual thread cannot call the CUDA driver");
        }
    }

    @Test
    void whatIsLeftOpenIsTold() {
        CudaContext context = open();
        Stream stream = context.newStream();
        assertThatThrownBy(context::close).hasMessage("1 resources of the device are still open");
        assertThatThrownBy(stream::synchronize).hasMessage("the device is closed");
        stream.close();
        assertThat(FakeDriver.open()).isEqualTo("1 streams"); // a device that is given back takes its streams along
    }
}
