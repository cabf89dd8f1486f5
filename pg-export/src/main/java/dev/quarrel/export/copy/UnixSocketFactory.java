package dev.quarrel.export.copy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.SocketFactory;

/// Lets pgjdbc connect to a server's Unix-domain socket, by its properties `socketFactory` (this class's name)
/// and `socketFactoryArg` (the socket's path).
public final class UnixSocketFactory extends SocketFactory {
    private final Path path;

    /// @param path of the socket
    public UnixSocketFactory(String path) {
        this.path = Path.of(path);
    }

    /// A socket that is connected wherever it is told to go.
    @Override
    public Socket createSocket() throws IOException {
        return new UnixSocket(path);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        Socket socket = createSocket();
        socket.connect(null);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket((String) null, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket((String) null, port);
    }
}
