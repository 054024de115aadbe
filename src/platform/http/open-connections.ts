import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long the rest of a request may take to arrive. */
const ARRIVING_MS = 1_000;

interface Use {
  /** Requests without a complete response. */
  readonly inFlight: Set<IncomingMessage>;
  /** When a check first found that no request had arrived completely; null: no check has run since a request arrived. */
  unusedSince: number | null;
}

/**
 * The connections of a server, and whether each has a request to answer. Node's `closeIdleConnections` spares connections
 * that never sent a byte, or sent only a part of a request: its head, or its body without the end.
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

  /** Closes connections without a request since the last call, and those whose request does not arrive. */
  closeUnused(now = performance.now()): void {
    for (const [socket, use] of this.uses) {
      if (isInUse(use)) use.unusedSince = null;
      else if (use.unusedSince === null) use.unusedSince = now; // Until the next call, bytes on their way may become a request.
      else if (use.inFlight.size === 0 || now - use.unusedSince >= ARRIVING_MS) socket.destroy();
    }
  }
}

/** Work on a request begins only once its body is complete. */
function isInUse({ inFlight }: Use): boolean {
  return [...inFlight].some(({ complete }) => complete);
}
