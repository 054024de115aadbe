import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Cleanup } from '../testkit/cleanup.ts';
import { freePort } from '../testkit/free-port.ts';
import { HttpReceiver, type Script } from '../testkit/http-receiver.ts';
import { PaybellProcess } from '../testkit/paybell-process.ts';
import { waitFor } from '../testkit/wait-for.ts';

const PAYMENTS = 28;
const SANDBOX = { PROVIDER: 'sandbox', SANDBOX_SPEED: '10', VERIFY: 'require' };
/** The longest story, at that speed, with a margin. */
const PLAYED_WITHIN_MS = 90_000;
const RECIPIENT = '0x03508bb71268bba25ecacc8f620e01866650532c';
const TOKENS = {
  1: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  8453: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  42161: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
} as const;
const ROUTES = [
  [8453, 42161],
  [1, 8453],
  [42161, 8453],
  [8453, 1],
] as const;
const WHOLES = [250, 1_000, 75, 19, 12_480];
/** The last two digits of an amount choose the story. */
const STORIES = ['00', '00', '01', '02', '03', '04', '05', '06', '07', '00', '00', '00'];
/** The order that is paid after its quote has expired. */
export const LATE_ORDER = 'A-1044';

/** The answers of the shops in the pictures: one accepts all events, one is down, one refuses two of three. */
const SHOPS: Readonly<Record<string, () => Script>> = {
  'shop-eu': () => () => ({ status: 204 }),
  'shop-us': () => () => ({ status: 503, body: 'upstream connect error or disconnect/reset before headers' }),
  warehouse: () => {
    let asked = 0;
    return () => {
      asked += 1;
      return asked % 3 === 0 ? { status: 204 } : { status: 500, body: 'out of stock' };
    };
  },
};

interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly quoteId: string;
    readonly description: string | null;
  }[];
}

/** Starts the Paybell of the pictures, which `cleanup` ends. */
export async function startPaybell(
  cleanup: Cleanup,
  providers: Readonly<Record<string, string>>,
): Promise<PaybellProcess> {
  const home = await mkdtemp(join(tmpdir(), 'paybell-screenshots-'));
  cleanup.add(() => rm(home, { recursive: true, force: true }));
  const [port, apiKey] = [await freePort(), randomBytes(24).toString('base64url')];
  const env = {
    ...providers,
    HOST: '127.0.0.1',
    DATA_DIR: join(home, 'data'),
    API_KEYS: `support:${apiKey}`,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    LOG_LEVEL: 'warn',
  };
  const paybell = new PaybellProcess({ port, apiKey, env });
  cleanup.add(() => paybell.stop());
  await paybell.waitReady(60_000);
  return paybell;
}

/** The Paybell of the pictures: payments of the sandbox, proven by the sandbox's chain, and three shops. */
export class ShownPaybell {
  private constructor(readonly paybell: PaybellProcess) {}

  static async start(cleanup: Cleanup): Promise<ShownPaybell> {
    const shown = new ShownPaybell(await startPaybell(cleanup, SANDBOX));
    await shown.addShops(cleanup);
    await shown.addPayments();
    return shown;
  }

  /** Waits until the late payment has completed, whose event is the last one. */
  async whenPlayed(): Promise<void> {
    const isCompleted = async (): Promise<boolean> =>
      (await this.list(`/api/payments?orderId=${LATE_ORDER}&status=COMPLETED`)).data.length > 0;
    await waitFor(isCompleted, { timeoutMs: PLAYED_WITHIN_MS, everyMs: 500, what: 'the late payment' });
  }

  async list(path: string): Promise<Listed> {
    return (await (await this.paybell.fetch(path)).json()) as Listed;
  }

  private async addShops(cleanup: Cleanup): Promise<void> {
    for (const [description, script] of Object.entries(SHOPS)) {
      const shop = await HttpReceiver.start(script(), { keepsRequests: false });
      cleanup.add(() => shop.close());
      await this.post('/api/webhook-endpoints', { url: `${shop.url}/paybell`, description });
    }
  }

  private async addPayments(): Promise<void> {
    for (let index = 0; index < PAYMENTS; index += 1) {
      const [fromChainId, toChainId] = ROUTES[index % ROUTES.length] ?? ROUTES[0];
      await this.post('/api/quote', {
        fromChainId,
        toChainId,
        fromToken: TOKENS[fromChainId],
        toToken: TOKENS[toChainId],
        amount: `${WHOLES[index % WHOLES.length]}.${STORIES[index % STORIES.length]}`,
        recipient: RECIPIENT,
        orderId: `A-${1_040 + index}`,
        metadata: { shop: 'eu' },
      });
    }
  }

  private async post(path: string, body: unknown): Promise<void> {
    const answer = await this.paybell.fetch(path, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
}
