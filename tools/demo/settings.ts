import { join } from 'node:path';

import type { Subscriber } from './subscriber.ts';

export interface Stage {
  readonly home: string;
  readonly key: string;
  readonly subscriber: Subscriber | null;
}

/** The environment of the demo's Paybell. The sandbox divides its times by SANDBOX_SPEED, and polls as much faster. */
export function settingsFor({ home, key, subscriber }: Stage): Record<string, string> {
  const broker = { RABBITMQ_URL: subscriber?.url ?? '', RABBITMQ_EXCHANGE: subscriber?.exchange ?? '' };
  return {
    ...broker,
    HOST: '127.0.0.1',
    DATA_DIR: join(home, 'data'),
    API_KEYS: `demo:${key}`,
    PROVIDER: 'sandbox',
    SANDBOX_SPEED: '20',
    // Often enough to see each status: between a deposit and its execution lie 5 s of the sandbox.
    POLL_INTERVAL_MS: '4000',
    POLL_MIN_GAP_MS: '3000',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    // Short waits, so that the webhook which the shop refuses once comes again while one is watching.
    WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,2s,5s,5s',
    LOG_LEVEL: 'info',
  };
}
