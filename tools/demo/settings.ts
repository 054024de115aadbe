import { join } from 'node:path';

import type { Subscriber } from './subscriber.ts';

interface Stage {
  readonly home: string;
  readonly key: string;
  readonly subscriber: Subscriber | null;
  /** The settings of its providers. */
  readonly providers: Readonly<Record<string, string>>;
}

/** The environment of the demo's Paybell. */
export function settingsFor({ home, key, subscriber, providers }: Stage): Record<string, string> {
  const broker = { RABBITMQ_URL: subscriber?.url ?? '', RABBITMQ_EXCHANGE: subscriber?.exchange ?? '' };
  return {
    ...broker,
    ...providers,
    HOST: '127.0.0.1',
    DATA_DIR: join(home, 'data'),
    API_KEYS: `demo:${key}`,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    // Short waits: a person who watches sees the refused webhook come again.
    WEBHOOK_RETRY_SCHEDULE: '1s,1s,2s,2s,5s,5s',
    LOG_LEVEL: 'info',
  };
}
