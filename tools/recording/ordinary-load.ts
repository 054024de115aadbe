import { openSync } from 'node:fs';
import { join } from 'node:path';

import type { Cleanup } from '../testkit/cleanup.ts';
import { freePort } from '../testkit/free-port.ts';
import { HttpReceiver } from '../testkit/http-receiver.ts';
import { PaybellProcess } from '../testkit/paybell-process.ts';
import { PrivateBroker } from '../testkit/private-broker.ts';
import { PrivatePostgres } from '../testkit/private-postgres.ts';
import { quoteRequest } from '../testkit/provider-objects.ts';

type Env = Readonly<Record<string, string>>;

const API_KEY = 'recording-key-0123456789';
const COMMON = {
  API_KEYS: `recording:${API_KEY}:admin`,
  ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'),
};
/** The stories of a hundred payments: some fail, are not paid, or are paid late. */
const STORIES = new Map([
  [7, '01'],
  [23, '02'],
  [51, '03'],
  [77, '05'],
]);
/** The shop refuses one webhook out of this many. */
const REFUSES_ONE_OF = 200;

/** Two replicas with default settings beside a provider, a broker and a shop: a payment each few seconds. */
export class OrdinaryLoad {
  private made = 0;
  private received = 0;

  private constructor(readonly replicas: readonly PaybellProcess[]) {}

  static async start(folder: string, cleanup: Cleanup): Promise<OrdinaryLoad> {
    const database = await PrivatePostgres.create(folder);
    cleanup.add(() => database.destroy());
    for (const name of ['provider', 'paybell']) await database.query(`CREATE DATABASE ${name}`);
    const broker = await PrivateBroker.start(folder);
    cleanup.add(() => broker.destroy());
    const start = async (name: string, env: Env): Promise<PaybellProcess> => {
      const logTo = openSync(join(folder, `${name}.log`), 'a');
      const options = { port: await freePort(), apiKey: API_KEY, env: { ...COMMON, ...env }, logTo };
      const replica = new PaybellProcess(options);
      cleanup.add(() => replica.stop());
      await replica.waitReady();
      return replica;
    };
    const provider = await start('provider', { DATABASE_URL: database.url('provider'), PROVIDER: 'sandbox' });
    const env = {
      DATABASE_URL: database.url('paybell'),
      PROVIDER_BASE_URL: provider.url,
      PROVIDER_API_KEY: API_KEY,
      PROVIDER_MAX_RPM: '3000',
      RABBITMQ_URL: broker.url,
      RABBITMQ_EVENT_QUEUE: 'orders',
      RABBITMQ_TRACK_QUEUE: 'track',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
    };
    const load = new OrdinaryLoad([await start('one', env), await start('two', env)]);
    await load.openShop(cleanup);
    return load;
  }

  /** Requests a quote, whose story decides what happens next. */
  async buy(): Promise<void> {
    this.made += 1;
    const replica = this.replicas[this.made % this.replicas.length];
    const amount = `25.${STORIES.get(this.made % 100) ?? '50'}`;
    const answer = await replica?.fetch('/api/quote', { method: 'POST', body: quoteRequest({ amount }) });
    if (answer?.ok !== true) throw new Error(`no quote: ${await answer?.text()}`);
  }

  private async openShop(cleanup: Cleanup): Promise<void> {
    const shop = await HttpReceiver.start(
      () => ({ status: (this.received += 1) % REFUSES_ONE_OF === 0 ? 503 : 204, delayMs: 20 }),
      { keepsRequests: false },
    );
    cleanup.add(() => shop.close());
    for (const path of ['orders', 'books']) {
      const body = { url: `${shop.url}/${path}` };
      const answer = await this.replicas[0]?.fetch('/api/webhook-endpoints', { method: 'POST', body });
      if (answer?.ok !== true) throw new Error(`no endpoint: ${await answer?.text()}`);
    }
  }
}
