import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** A usual response fits into one chunk. Of a response above a limit, at most one more chunk is parsed. */
export const CHUNK_BYTES = 1_024;

/** Observes the bytes that are read from a socket. */
export interface ChunkObserver {
  /** All earlier chunks are parsed: an observer that wants no further ones destroys the socket here. */
  beforeChunk(): void;
  /** Returns the bytes to parse: none if they are dropped or have to wait for more. */
  onChunk(chunk: Buffer): Buffer;
}

const observers = new WeakMap<object, ChunkObserver>();

/** Sends the socket's chunks to this observer from now on. */
export function observeChunks(socket: object, observer: ChunkObserver): void {
  observers.set(socket, observer);
}

/**
 * Makes each read of the socket return at most one chunk, and none once the socket is destroyed. undici parses all bytes of
 * one read and makes an error for each header over the limit: a flood in a single read would block the process for half a
 * second.
 */
export function readInChunks<Read extends Pick<Socket, 'read' | 'readableLength' | 'destroyed'>>(
  socket: Read,
): Read {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    for (;;) {
      const observer = observers.get(socket);
      observer?.beforeChunk();
      if (socket.destroyed) return null;
      const chunk = read(
        size ?? (socket.readableLength > CHUNK_BYTES ? CHUNK_BYTES : undefined),
      ) as Buffer | null;
      const bytes = chunk === null ? null : (observer?.onChunk(chunk) ?? chunk);
      if (bytes === null || bytes.length > 0) return bytes;
    }
  };
  return socket;
}

/** Receives the socket on which its request is sent. */
export interface SocketObserver {
  onSocket(socket: Socket): void;
}

/**
 * undici publishes the socket right after it has called the handler at the start of a request, within the same turn of the
 * event loop.
 */
let nextObserver: SocketObserver | null = null;
subscribe('undici:client:sendHeaders', (message) => {
  nextObserver?.onSocket((message as { readonly socket: Socket }).socket);
  nextObserver = null;
});

/** Passes the socket of the next request that undici writes to this observer. Call it when the request starts. */
export function observeNextSocket(observer: SocketObserver): void {
  nextObserver = observer;
}
