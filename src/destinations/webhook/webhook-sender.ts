import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { setMaxListeners } from 'node:events';

import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';

import { MAX_HEADER_BYTES } from '../../platform/bounded-reading/header-limit.ts';
import { VERSION } from '../../platform/version.ts';
import { Clock } from '../../ports/clock.ts';
import type { WebhookTarget } from '../../ports/webhook-endpoints.ts';
import { type Ending, HttpAttempt } from './http-attempt.ts';
import type { AddressGuard } from '../../platform/outbound/address-guard.ts';
import {
  type ConnectorOptions,
  guardedConnector,
  type HostLookup,
} from '../../platform/outbound/guarded-connector.ts';

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
    // Many attempts listen to the shutdown's signal: suppresses Node's warning of a leak.
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

interface SentEvent {
  readonly eventId: string;
  readonly body: string;
  /** The trace context of the attempt, or else of the event; left out or null: there is none. */
  readonly traceparent?: string | null;
}

/** Signs an event's bytes with every valid secret of the endpoint and posts them; used for deliveries and tests. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly client: WebhookClient,
    private readonly clock: Clock,
  ) {}

  /** Rejects only for an invalid secret or an invalid URL. */
  async send(
    { url, secrets }: WebhookTarget,
    { eventId, body, traceparent = null }: SentEvent,
    signal: AbortSignal,
  ): Promise<Ending> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Paybell/${VERSION}`,
      ...(traceparent === null ? {} : { traceparent }),
      ...signedHeaders(eventId, body, secrets, this.clock.now()),
    };
    return this.client.post(new URL(url), headers, Buffer.from(body, 'utf8'), signal);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

const PRIVATE_KEY = 'whsk_';
const SEED_BYTES = 32;

/** The headers of Standard Webhooks: the event's id, the sending time and the signatures. */
export function signedHeaders(
  eventId: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const signatures = secrets.map((secret) => signatureOf(secret, eventId, now, body));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(unixSeconds(now)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Signs in the scheme of the secret's prefix: `v1` for `whsec_`, `v1a` for `whsk_`. */
function signatureOf(secret: string, eventId: string, now: Date, body: string): string {
  if (!secret.startsWith(PRIVATE_KEY)) return new Webhook(secret).sign(eventId, now, body);
  const signed = Buffer.from(`${eventId}.${unixSeconds(now)}.${body}`, 'utf8');
  return `v1a,${sign(null, signed, privateKeyOf(secret)).toString('base64')}`;
}

/** The secret is the base64 of the private key's 32 bytes and the public key's 32 bytes. */
function privateKeyOf(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(PRIVATE_KEY.length), 'base64');
  const d = bytes.subarray(0, SEED_BYTES).toString('base64url');
  const x = bytes.subarray(SEED_BYTES).toString('base64url');
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

function unixSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1_000);
}
