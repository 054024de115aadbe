import { Injectable } from '@nestjs/common';

import { KeyShares } from '../../platform/http/requests-in-flight.ts';
import { WebhookEndpointsSettings } from './webhook-endpoints.settings.ts';

/** This API key has reached its limit of concurrent webhook tests. */
export class TooManyTests extends Error {
  readonly code = 'too_many_tests';
  constructor(limit: number) {
    super(`This API key has ${limit} webhook tests under way already. Wait until one of them has ended.`);
  }
}

/** Limits the concurrent tests of each API key: a test holds a connection for as long as its endpoint takes. */
@Injectable()
export class WebhookTestLimiter {
  private readonly underWay: KeyShares;

  constructor(private readonly settings: WebhookEndpointsSettings) {
    this.underWay = new KeyShares(settings.testsPerKey);
  }

  /** Runs a test. It counts until it ends, even if its client has left. Throws TooManyTests. */
  async run<Result>(key: string, test: () => Promise<Result>): Promise<Result> {
    if (!this.underWay.take(key)) throw new TooManyTests(this.settings.testsPerKey);
    try {
      return await test();
    } finally {
      this.underWay.release(key);
    }
  }
}
