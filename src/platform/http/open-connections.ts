import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Use {
  /** Requests whose response has not ended. */
  inFlight: number;
  /** There was no request when it was looked at last. */
  wasUnused: boolean;
}

/**
 * The connections of a server, and whether each has a request in flight. Node's `closeIdleConnections` leaves those alone that
 * never sent a byte, or that sent a part of a request's head.
 */
export class OpenConnections {
  private readonly uses = new Map<Socket, Use>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.uses.set(socket, { inFlight: 0, wasUnused: false });
      socket.once('close', () => this.uses.delete(socket));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const use = this.uses.get(socket);
      if (use === undefined) return;
      use.inFlight += 1;
      use.wasUnused = false;
      response.once('close', () => (use.inFlight -= 1));
    });
  }

  /** Closes the connections that have had no request since the last call: bytes on their way become a request meanwhile. */
  closeUnused(): void {
    for (const [socket, use] of this.uses) {
      if (use.wasUnused && use.inFlight === 0) socket.destroy();
      else use.wasUnused = use.inFlight === 0;
    }
  }
}
