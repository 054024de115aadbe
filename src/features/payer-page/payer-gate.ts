import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';

import { clientAddress, networkOf } from '../../platform/http/client-address.ts';
import { RequestRate } from '../../platform/http/request-rate.ts';
import { Timers } from '../../ports/timers.ts';

/** A page that polls every 5 s uses a tenth of this rate; several payers may share an address. */
const OF_NETWORK = { inARow: 120, oneEachMs: 500 };
/** Bounds the requests of all payers together, so that the database has room for quotes and polls. */
const OF_ALL = { inARow: 1_000, oneEachMs: 5 };
const ALL = 'all';
/** The clients whose proxy names no address. */
const UNKNOWN = 'unknown';
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'cache-control, last-event-id',
  'access-control-max-age': '600',
};

/** Too many requests without a key came from this address, or from all addresses together. */
export class TooManyRequests extends Error {
  readonly code = 'too_many_requests';
  constructor(readonly retryAfterMs: number) {
    super('There were too many requests. Wait before the next one, as long as Retry-After says.');
  }
}

/** The origins whose pages may read a payer's link. */
export class PayerPageSettings {
  constructor(readonly origins: readonly string[]) {}
}

/** The network by which a client without a key is counted. */
export function clientOf(request: Request): string {
  const address = clientAddress(request);
  return address === null ? UNKNOWN : networkOf(address);
}

/** Sets the headers of each answer without a key, and refuses too frequent requests before their token is read. */
@Injectable()
export class PayerGate implements CanActivate {
  private readonly ofNetwork: RequestRate;
  private readonly ofAll: RequestRate;

  constructor(
    private readonly settings: PayerPageSettings,
    timers: Timers,
  ) {
    this.ofNetwork = new RequestRate(timers, OF_NETWORK);
    this.ofAll = new RequestRate(timers, OF_ALL);
  }

  /** Throws TooManyRequests. */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    response.set(HEADERS);
    this.allowOrigin(request, response);
    const waitMs = this.ofNetwork.take(clientOf(request)) || this.ofAll.take(ALL);
    if (waitMs > 0) throw new TooManyRequests(waitMs);
    return true;
  }

  private allowOrigin({ headers: { origin = '' }, method }: Request, response: Response): void {
    if (this.settings.origins.length === 0) return;
    response.vary('origin');
    if (!this.settings.origins.includes(origin)) return;
    response.set('access-control-allow-origin', origin);
    if (method === 'OPTIONS') response.set(PREFLIGHT);
  }
}
