import { Injectable } from '@nestjs/common';

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
  private readonly underWay = new Map<string, number>();

  constructor(private readonly settings: WebhookEndpointsSettings) {}

  /** Runs a test. It counts until it ends, even if its client has left. Throws TooManyTests. */
  async run<Result>(key: string, test: () => Promise<Result>): Promise<Result> {
    const others = this.underWay.get(key) ?? 0;
    if (others >= this.settings.testsPerKey) throw new TooManyTests(this.settings.testsPerKey);
    this.underWay.set(key, others + 1);
    try {
      return await test();
    } finally {
      this.release(key);
    }
  }

  private release(key: string): void {
    const left = (this.underWay.get(key) ?? 0) - 1;
    if (left > 0) this.underWay.set(key, left);
    else this.underWay.delete(key);
  }
}
