package dev.quarrel.export.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Objects;

/// A Unix-domain socket for who asks for a [Socket], which the JDK has over TCP alone.
///
/// - Threads: one reads and writes; any closes.
/// - Errors: [IOException]; [SocketTimeoutException] where a read has to wait longer than `setSoTimeout` said.
final class UnixSocket extends Socket {
    private final UnixDomainSocketAddress address;
    private final SocketChannel channel;
    private volatile int timeoutMillis;

    UnixSocket(Path path) throws IOException {
        this.address = UnixDomainSocketAddress.of(path);
        this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /// @param endpoint of no interest: there is one place to go
    /// @param timeout of no interest: who listens takes it at once; a server that has come to a stop, with a
    ///   queue before it, lets all wait
    @Override
    public void connect(SocketAddress endpoint, int timeout) throws IOException {
        channel.connect(address);
    }

    @Override
    public void connect(SocketAddress endpoint) throws IOException {
        connect(endpoint, 0);
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                Objects.checkFromIndexSize(offset, length, bytes.length);
                return length == 0 ? 0 : UnixSocket.this.read(ByteBuffer.wrap(bytes, offset, length));
            }

            @Override
            public void close() throws IOException {
                UnixSocket.this.close();
            }
        };
    }

    private int read(ByteBuffer bytes) throws IOException {
        int millis = timeoutMillis;
        return millis == 0 ? channel.read(bytes) : read(bytes, millis);
    }

    /// A channel that blocks knows no timeout; so it does not block meanwhile.
    private int read(ByteBuffer bytes, int millis) throws IOException {
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            if (selector.select(millis) == 0 && channel.isOpen()) {
                throw new SocketTimeoutException("Read timed out");
            }
            return channel.read(bytes);
        } finally {
            if (channel.isOpen()) {
                channel.configureBlocking(true);
            }
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
            }

            @Override
            public void close() throws IOException {
                UnixSocket.this.close();
            }
        };
    }

    @Override
    public void setSoTimeout(int millis) {
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    // What TCP alone has.

    @Override
    public void setTcpNoDelay(boolean on) {
        // There is no delay.
    }

    @Override
    public boolean getTcpNoDelay() {
        return true;
    }

    @Override
    public void setKeepAlive(boolean on) {
        // The other end cannot vanish.
    }

    @Override
    public boolean getKeepAlive() {
        return true;
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        resize(StandardSocketOptions.SO_RCVBUF, size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return size(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        resize(StandardSocketOptions.SO_SNDBUF, size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return size(StandardSocketOptions.SO_SNDBUF);
    }

    private void resize(SocketOption<Integer> option, int size) throws SocketException {
        try {
            channel.setOption(option, size);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private int size(SocketOption<Integer> option) throws SocketException {
        try {
            return channel.getOption(option);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static SocketException failed(IOException e) {
        SocketException failure = new SocketException(e.getMessage());
        failure.initCause(e);
        return failure;
    }

    @Override
    public String toString() {
        return "UnixSocket[" + address + "]";
    }
}
