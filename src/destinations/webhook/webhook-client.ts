import { setMaxListeners } from 'node:events';

import { Agent } from 'undici';

import { MAX_HEADER_BYTES } from '../../platform/bounded-reading/header-limit.ts';
import type { AddressGuard } from './ssrf/address-guard.ts';
import { Exchange, type Ending } from './http-attempt.ts';
import { guardedConnector, type ConnectorOptions } from './ssrf/guarded-connector.ts';
import type { HostLookup } from './ssrf/host-lookup.ts';

/** Below the 5 s after which many servers close: a POST must not meet a connection that is just being closed. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_UP_TO_MS = 60_000;

/** Posts to guarded addresses over HTTP/1.1: no redirects, no proxy, no decompression, bounded in time and size. */
export class WebhookClient {
  private readonly agent: Agent;

  constructor(
    guard: AddressGuard,
    hosts: HostLookup,
    private readonly options: ConnectorOptions,
  ) {
    this.agent = new Agent({
      connect: guardedConnector(guard, hosts, options),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_UP_TO_MS,
      // The exchange has a deadline of its own, to the millisecond.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends these very bytes. Never rejects. */
  async post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<Ending> {
    // Many attempts listen to the one signal of a shutdown.
    setMaxListeners(0, signal);
    const exchange = new Exchange(this.options.timeoutMs, signal);
    try {
      const path = url.pathname + url.search;
      this.agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(null, error);
    }
    return exchange.ended;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
