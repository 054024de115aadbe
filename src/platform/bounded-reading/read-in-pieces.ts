import type { Socket } from 'node:net';

/** What a usual answer fits into; of one that breaks the limits, no more than this is parsed on. */
export const PIECE_BYTES = 1_024;

/** Whoever a socket's bytes are read for. */
export interface PieceWatch {
  /** All that was given so far is parsed: whoever wants no more destroys the socket here. */
  beforePiece(): void;
  given(piece: Buffer): void;
}

const watches = new WeakMap<object, PieceWatch>();

/** What this socket is read for from now on. */
export function watchPieces(socket: object, watch: PieceWatch): void {
  watches.set(socket, watch);
}

/**
 * Hands what a socket received to its reader piece by piece, and nothing once it is destroyed. undici parses all that
 * one read gives, with an error for each header over the limit: half a second of blocking for a single flood.
 */
export function readInPieces<Read extends Pick<Socket, 'read' | 'readableLength' | 'destroyed'>>(
  socket: Read,
): Read {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const watch = watches.get(socket);
    watch?.beforePiece();
    if (socket.destroyed) return null;
    const piece = read(
      size ?? (socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined),
    ) as Buffer | null;
    if (piece !== null) watch?.given(piece);
    return piece;
  };
  return socket;
}
