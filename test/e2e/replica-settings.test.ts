import { beforeAll, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

/** Replicas write their settings, and read those of the others, every ten seconds. */
const PATIENCE = { timeoutMs: 40_000, everyMs: 200 };

interface Running {
  readonly id: string;
  readonly roles: readonly string[];
}
interface ReplicasCheck {
  readonly status: string;
  readonly detail?: string;
  readonly running: readonly Running[];
}

async function check(app: SharedService): Promise<ReplicasCheck> {
  const { checks } = await jsonOf(await fetch(`${app.url}/health/ready`), 200);
  return (checks as Json)['replicas'] as ReplicasCheck;
}

const logged = (app: SharedService, words: string): boolean => app.lines.some((line) => line.includes(words));
const idOf = (app: SharedService): string =>
  /replica ([0-9a-f-]{36}); roles/.exec(app.lines.join('\n'))?.[1] ?? '';

describeWithBroker('a dispatcher without RABBITMQ_URL beside one with it', () => {
  let stage: Stage;
  let withBroker: SharedService;
  let without: SharedService;
  let detail: string;
  beforeAll(async () => {
    stage = await Stage.open();
    withBroker = await stage.startWarm({ ROLES: 'api,dispatcher', RABBITMQ_URL: brokerUrl() });
    await waitFor(async () => (await check(withBroker)).running.length === 1, PATIENCE);
    expect(await check(withBroker)).toMatchObject({ status: 'ok' });
    without = await stage.startWarm({ ROLES: 'tracker,api,dispatcher' });
    const [one, other] = [
      `${idOf(withBroker)} (api, dispatcher)`,
      `${idOf(without)} (tracker, api, dispatcher)`,
    ];
    detail = `RABBITMQ_URL is set in ${one}, and not in ${other}`;
  });

  it('is told by the health of both, with the roles of each', async () => {
    for (const app of [withBroker, without]) {
      await waitFor(async () => (await check(app)).status === 'degraded', PATIENCE);
      const shown = await check(app);
      expect(shown.detail).toBe(detail);
      const running = shown.running.map(({ id, roles }) => [id, roles]);
      expect(running).toHaveLength(2);
      expect(running).toEqual(
        expect.arrayContaining([
          [idOf(withBroker), ['api', 'dispatcher']],
          [idOf(without), ['tracker', 'api', 'dispatcher']],
        ]),
      );
    }
  });

  it('is told by the log of both, once', async () => {
    for (const app of [withBroker, without]) {
      await waitFor(() => logged(app, `the replicas disagree: ${detail}`), PATIENCE);
      expect(app.lines.filter((line) => line.includes('the replicas disagree'))).toHaveLength(1);
    }
  });

  it('needs a person, and shows no fingerprint', async () => {
    const item = await waitFor(async () => {
      const { items } = await jsonOf(await without.fetch('/api/attention'), 200);
      return (items as Json[]).find(({ code }) => code === 'settings_disagree');
    }, PATIENCE);
    expect(item).toMatchObject({ severity: 'bad', count: 1, detail: `The replicas disagree: ${detail}.` });
    const { replicas } = await jsonOf(await without.fetch('/api/attention'), 200);
    const provider = await jsonOf(await without.fetch('/api/provider'), 200);
    for (const shown of [...(replicas as Json[]), ...(provider['replicas'] as Json[])])
      expect(Object.keys(shown)).not.toContain('settings');
  });

  it('is over when it has stopped, which the other one says', async () => {
    expect(await without.stop()).toBe(0);
    await waitFor(async () => (await check(withBroker)).status === 'ok', PATIENCE);
    await waitFor(() => logged(withBroker, 'the replicas agree on their settings again'), PATIENCE);
    expect(await check(withBroker)).toMatchObject({ running: [{ id: idOf(withBroker) }] });
  });
});
