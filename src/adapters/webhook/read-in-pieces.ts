import type { Socket } from 'node:net';

/** What a usual answer fits into; of one that breaks the limits, no more than this is parsed on. */
export const PIECE_BYTES = 1_024;

/**
 * Hands what a socket received to its reader piece by piece, and nothing once it is destroyed. undici parses all that
 * one read gives, with an error for each header over the limit: half a second of blocking for a single flood.
 */
export function readInPieces<Read extends Pick<Socket, 'read' | 'readableLength' | 'destroyed'>>(
  socket: Read,
): Read {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    return read(size ?? (socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined));
  };
  return socket;
}
