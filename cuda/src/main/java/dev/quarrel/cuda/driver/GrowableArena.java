package dev.quarrel.cuda.driver;

import java.util.ArrayDeque;
import java.util.Deque;
import jcuda.driver.CUmemAllocationHandleType;
import jcuda.driver.JCudaDriver;

/// Device memory that grows in place: addresses are reserved for all it may become, memory is mapped there as
/// it is needed. So a hash table's pointer stays, and only its tail is new.
///
/// - Memory: belongs to one stream, whose work is waited for when the arena is closed; what other streams do
///   with it must have been waited for before.
public final class GrowableArena implements DeviceRange, AutoCloseable {
    static final int POSIX_FILE_DESCRIPTOR = CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

    private final CudaContext context;
    private final Stream stream;
    private final boolean isExported;
    private final long granularity;
    private final long reservedBytes;
    private final DeviceAddress base = new DeviceAddress();
    private final Deque<Piece> pieces = new ArrayDeque<>();
    private long bytes;
    private boolean closed;

    private record Piece(long handle, long offset, long bytes) {}

    GrowableArena(CudaContext context, Stream stream, long maxBytes) {
        if (maxBytes <= 0) {
            throw new IllegalArgumentException("an arena of " + maxBytes + " bytes");
        }
        this.context = context;
        this.stream = stream;
        context.enter();
        this.isExported = context.facts().fileDescriptors();
        long[] unit = new long[1];
        context.check(
                context.library().allocationGranularity(context.ordinal(), isExported, unit),
                "cuMemGetAllocationGranularity");
        this.granularity = unit[0];
        this.reservedBytes = roundUp(maxBytes);
        context.check(
                JCudaDriver.cuMemAddressReserve(base, reservedBytes, 0, new DeviceAddress(), 0),
                "cuMemAddressReserve",
                reservedBytes);
        context.opened();
    }

    private long roundUp(long bytes) {
        return Math.ceilDiv(bytes, granularity) * granularity;
    }

    @Override
    public long address() {
        if (closed) {
            throw new IllegalStateException("the arena is closed");
        }
        return base.address();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /// What it can grow to.
    public long reservedBytes() {
        return reservedBytes;
    }

    /// Makes at least `needed` bytes usable; what was there stays, what is new is undefined.
    ///
    /// - Errors: [CudaException], out of memory among others; the arena is as before then.
    ///   [IllegalArgumentException] beyond what was reserved.
    public void growTo(long needed) {
        if (needed > reservedBytes) {
            throw new IllegalArgumentException(needed + " bytes of an arena of at most " + reservedBytes);
        }
        long wanted = roundUp(needed);
        if (wanted <= bytes) {
            return;
        }
        long start = address() + bytes;
        long added = wanted - bytes;
        context.enter();
        long[] made = new long[1];
        context.check(context.library().createMemory(context.ordinal(), isExported, added, made), "cuMemCreate", added);
        long handle = made[0];
        int mapped = context.library().mapMemory(start, added, handle);
        if (mapped != CudaException.SUCCESS) {
            context.library().releaseMemory(handle);
            throw context.failed(mapped, "cuMemMap", added + " bytes");
        }
        int opened = context.library().allowAccess(start, added, context.ordinal());
        if (opened != CudaException.SUCCESS) {
            JCudaDriver.cuMemUnmap(new DeviceAddress(start), added);
            context.library().releaseMemory(handle);
            throw context.failed(opened, "cuMemSetAccess", added + " bytes");
        }
        pieces.push(new Piece(handle, bytes, added));
        bytes = wanted;
    }

    /// How many pieces of memory the arena is made of.
    public int pieceCount() {
        return pieces.size();
    }

    /// A file descriptor by which another process can map one piece, at least as long as this arena is open;
    /// the caller closes it.
    ///
    /// - Errors: [CudaException] where the device cannot do it.
    ///
    /// @param piece 0 for the first bytes
    public int exportPiece(int piece) {
        context.enter();
        Piece[] inOrder = pieces.reversed().toArray(Piece[]::new);
        int[] descriptor = new int[1];
        context.check(
                context.library().exportFileDescriptor(inOrder[piece].handle(), descriptor),
                "cuMemExportToShareableHandle");
        return descriptor[0];
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        long start = base.address();
        closed = true;
        context.release("cuMemUnmap, cuMemRelease, cuMemAddressFree", () -> {
            // What fails here is told to whoever waits for that work; the memory goes all the same.
            JCudaDriver.cuStreamSynchronize(stream.handle());
            int first = CudaException.SUCCESS;
            for (Piece piece : pieces) { // the last one first
                first = firstOf(
                        first, JCudaDriver.cuMemUnmap(new DeviceAddress(start + piece.offset()), piece.bytes()));
                first = firstOf(first, context.library().releaseMemory(piece.handle()));
            }
            return firstOf(first, JCudaDriver.cuMemAddressFree(new DeviceAddress(start), reservedBytes));
        });
        pieces.clear();
        bytes = 0;
    }

    private static int firstOf(int earlier, int code) {
        return earlier == CudaException.SUCCESS ? code : earlier;
    }
}
