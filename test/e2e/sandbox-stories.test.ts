import { describe, expect, it } from '@jest/globals';

import { arrivalsAt, wordOf } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { SANDBOX } from '../support/suites/sandbox-stories.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

function toldOf(stage: Stage, quoteId: string): string {
  return arrivalsAt(stage.shop)
    .filter(({ subject }) => subject === quoteId)
    .map(wordOf)
    .join(', ');
}

describe('the payer', () => {
  it('is the tester with SANDBOX_AUTOPAY=false', async () => {
    const stage = await Stage.open();
    const app = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50', SANDBOX_AUTOPAY: 'false' });
    await stage.addShop(app);
    const metadata = { story: 'skips_ahead' };
    const [quoteId, other] = [await stage.quote(app, { metadata }), await stage.quote(app)];
    const pay = (id: string, headers = {}) =>
      app.fetch(`/sandbox/payments/${id}/deposit`, { method: 'POST', headers });
    expect((await pay(quoteId, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await pay(crypto.randomUUID())).status).toBe(404);
    expect(toldOf(stage, quoteId)).toMatch(/^(created)?$/);
    expect(await jsonOf(await pay(quoteId), 200)).toMatchObject({ quoteId });
    await waitFor(() => toldOf(stage, quoteId) === 'created, completed');
    await waitFor(() => toldOf(stage, other) === 'created, expired');
    const refused = await stage.askQuote(app, { metadata: { story: 'skip_ahead' } });
    expect(await jsonOf(refused, 400)).toMatchObject({ errors: [{ field: 'metadata.story' }] });
  });
});
