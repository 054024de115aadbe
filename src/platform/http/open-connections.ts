import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The time for which the rest of a request may be on its way. */
const ARRIVING_MS = 1_000;

interface Use {
  /** Requests whose response has not ended. */
  readonly inFlight: Set<IncomingMessage>;
  /** Since when it has had no request that arrived as a whole, as far as was looked; null: not looked since one arrived. */
  unusedSince: number | null;
}

/**
 * The connections of a server, and whether each has a request to answer. Node's `closeIdleConnections` leaves those alone that never
 * sent a byte, or that sent a part of a request: its head, or its body without the end.
 */
export class OpenConnections {
  private readonly uses = new Map<Socket, Use>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.uses.set(socket, { inFlight: new Set(), unusedSince: null });
      socket.once('close', () => this.uses.delete(socket));
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const use = this.uses.get(request.socket);
      if (use === undefined) return;
      use.inFlight.add(request);
      use.unusedSince = null;
      response.once('close', () => use.inFlight.delete(request));
    });
  }

  /** Closes the connections that have had no request since the last call, and those whose request does not arrive. */
  closeUnused(now = performance.now()): void {
    for (const [socket, use] of this.uses) {
      if (isInUse(use)) use.unusedSince = null;
      else if (use.unusedSince === null) use.unusedSince = now; // Until the next call, bytes on their way become a request.
      else if (use.inFlight.size === 0 || now - use.unusedSince >= ARRIVING_MS) socket.destroy();
    }
  }
}

/** No work has begun for a request whose body is not complete. */
function isInUse({ inFlight }: Use): boolean {
  return [...inFlight].some(({ complete }) => complete);
}
