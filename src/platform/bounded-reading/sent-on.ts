import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** A request that is told on which connection it goes out. */
export interface Written {
  sentOn(socket: Socket): void;
}

/** undici tells the socket right after it has told the handler that its request starts, in the same turn. */
let writing: Written | null = null;
subscribe('undici:client:sendHeaders', (message) => {
  writing?.sentOn((message as { readonly socket: Socket }).socket);
  writing = null;
});

/** The next request that undici writes is this one. */
export function writesNext(request: Written): void {
  writing = request;
}
