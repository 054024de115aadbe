import { setMaxListeners } from 'node:events';

import { Agent } from 'undici';

import { MAX_HEADER_BYTES } from '../../platform/bounded-reading/header-limit.ts';
import type { AddressGuard } from './ssrf/address-guard.ts';
import { HttpAttempt, type Ending } from './http-attempt.ts';
import { guardedConnector, type ConnectorOptions } from './ssrf/guarded-connector.ts';
import type { HostLookup } from './ssrf/host-lookup.ts';

/** Shorter than the 5 s after which many servers close an idle connection: a POST must not race with that close. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_UP_TO_MS = 60_000;

/** Posts to allowed addresses over HTTP/1.1, without redirects, proxy and decompression, bounded in time and size. */
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
      // HttpAttempt has its own deadline, which is exact to the millisecond.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Sends exactly these bytes. Never rejects. */
  async post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<Ending> {
    // Many attempts listen to the shutdown's signal: suppress Node's warning of a leak.
    setMaxListeners(0, signal);
    const attempt = new HttpAttempt(this.options.timeoutMs, signal);
    try {
      const path = url.pathname + url.search;
      this.agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, attempt);
    } catch (error) {
      attempt.onResponseError(null, error);
    }
    return attempt.ended;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
