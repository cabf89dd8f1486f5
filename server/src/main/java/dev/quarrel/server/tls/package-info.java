/// TLS: a server's certificate and key, read again when their files change, and the encryption of one connection.
package dev.quarrel.server.tls;
