import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, unknown>;

/** The stage's provider asks for 0.05 of the native coin. */
const PARTS = { deposit: { amount: '0.01' }, status: 'COMPLETED' };

describe('a payment of which too little came', () => {
  let stage: Stage;
  let app: SharedService;
  let quoteId: string;

  const listed = async (match: string): Promise<unknown[]> => {
    const page = await jsonOf(await app.fetch(`/api/payments?match=${match}`), 200);
    return (page['data'] as Json[]).map((payment) => payment['quoteId']);
  };
  const paid = async (): Promise<string> => {
    const id = await stage.quote(app, { orderId: 'A-1' });
    stage.provider.setStatus(id, PARTS);
    return id;
  };

  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.startWarm();
    await stage.addShop(app);
    quoteId = await paid();
  });

  it('is told by an anomaly before its completion, with the sums', async () => {
    const words = ['created', 'anomaly underpaid', 'completed'];
    const [created, underpaid, completed] = await stage.published(app, quoteId, words);
    const amounts = {
      send: { asked: '0.05', came: '0.01', token: expect.stringMatching(/^0x0{40}$/) },
      receive: { promised: '124.850000000000000001', arrived: null, token: expect.stringMatching(/^0x/) },
      match: 'underpaid',
    };
    expect(created?.data).not.toHaveProperty('amounts');
    expect(underpaid?.data).toMatchObject({ amounts });
    expect(completed?.data).toMatchObject({ amounts });
    expect(await jsonOf(await app.fetch(`/api/payments/${quoteId}`), 200)).toMatchObject({ amounts });
    expect(await listed('underpaid')).toEqual([quoteId]);
    expect(await listed('exact')).toEqual([]);
  });

  it('fails where the merchant wants it so', async () => {
    expect(await app.stop()).toBe(0);
    app = await stage.startWarm({ UNDERPAID: 'fail' });
    const failed = await paid();
    await stage.published(app, failed, ['created', 'failed']);
    const error = 'UNDERPAID: 0.01 came instead of 0.05 ETH, and was delivered.';
    expect(await jsonOf(await app.fetch(`/api/status/${failed}`), 200)).toMatchObject({
      status: 'FAILED',
      error,
    });
    expect(await app.stop()).toBe(0);
  });
});
