import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Gets the socket on which its request is sent. */
export interface SocketObserver {
  onSocket(socket: Socket): void;
}

/** undici publishes the socket right after it has called the handler at the start of a request, in the same turn of the event loop. */
let nextObserver: SocketObserver | null = null;
subscribe('undici:client:sendHeaders', (message) => {
  nextObserver?.onSocket((message as { readonly socket: Socket }).socket);
  nextObserver = null;
});

/** Passes the socket of the next request that undici writes to this observer. Call it when the request starts. */
export function observeNextSocket(observer: SocketObserver): void {
  nextObserver = observer;
}
