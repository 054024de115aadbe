import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, runCli } from '../../support/cli.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

let stage: Stage;
let app: SharedService;
let env: Record<string, string>;
let endpointId: string;

async function run(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(words, env);
  expect([words, code, stderr.replace('The secret is shown only now: store it.\n', '')]).toEqual([
    words,
    0,
    '',
  ]);
  return stdout;
}

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm();
  env = asking(app);
  const url = `${stage.shop.url}/hook`;
  const added = JSON.parse(await run('endpoints', 'add', url, '--description', 'the shop', '--json')) as {
    id: string;
    secret: string;
  };
  endpointId = added.id;
});

describe('paybell endpoints', () => {
  it('add shows the secret once, list does not, and the audit log has who', async () => {
    const shown = await run(
      'endpoints',
      'add',
      `${stage.shop.url}/two`,
      '--type',
      'payment.completed',
      '--signature',
      'v1a',
    );
    expect(shown).toMatch(/^event types +payment\.completed$/m);
    expect(shown).toMatch(/^public key +whpk_/m);
    const listed = await run('endpoints', 'list');
    expect(listed).toMatch(new RegExp(`^${endpointId} +${stage.shop.url}/hook +ok +- +0 `, 'm'));
    expect(listed).not.toMatch(/whsec_/);
    expect(JSON.parse(await run('endpoints', 'list', '--json'))).toMatchObject({ data: [{}, {}] });
    const { data } = await jsonOf(await app.fetch('/api/audit?action=endpoint.create'), 200);
    expect(data).toMatchObject([
      { via: 'api', who: 'test' },
      { via: 'api', who: 'test' },
    ]);
  });

  it('test says what the endpoint answered, and fails unless it acknowledged', async () => {
    expect(await run('endpoints', 'test', endpointId)).toMatch(/^delivered +yes\nHTTP status +204$/m);
    stage.shop.answer(() => ({ status: 418, body: 'tea\u001b[2J' }));
    const { code, stdout } = await runCli(
      ['endpoints', 'test', endpointId, '--type', 'payment.completed'],
      env,
    );
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^HTTP status +418$[^]*^answer +tea \[2J$/m)]);
    stage.shop.answer(() => ({ status: 204 }));
    const dead = await app.fetch('/api/webhook-endpoints', {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/hook', eventTypes: ['payment.expired'] },
    });
    const { id } = (await dead.json()) as { id: string };
    const refused = await runCli(['endpoints', 'test', id], env);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/^failure +refuses connections[^]*^what to do +No program listens there/m),
    ]);
    await app.fetch(`/api/webhook-endpoints/${id}`, { method: 'DELETE' });
  });

  it('rotate shows the new secret and until when the previous one signs', async () => {
    const rotated = JSON.parse(await run('endpoints', 'rotate', endpointId, '--json')) as Record<
      string,
      string
    >;
    expect(rotated).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      previousSecretExpiresAt: expect.any(String),
    });
    expect(await run('endpoints', 'rotate', endpointId)).toMatch(
      /^secret +whsec_\S+\nprevious secret signs until +\S+Z$/m,
    );
  });

  it('recover counts, sends again what was missed, and waits until it is queued', async () => {
    const body = { enabled: false };
    await app.fetch(`/api/webhook-endpoints/${endpointId}`, { method: 'PATCH', body });
    const quoteId = await stage.quote(app);
    await app.fetch(`/api/webhook-endpoints/${endpointId}`, { method: 'PATCH', body: { enabled: true } });
    expect(await run('endpoints', 'recover', endpointId, '--since', '1h', '--dry-run')).toMatch(
      /^events not acknowledged +1$/m,
    );
    const recovered = JSON.parse(
      await run('endpoints', 'recover', endpointId, '--since', '1h', '--wait', '--json'),
    ) as object;
    expect(recovered).toMatchObject({ state: 'done', done: 1 });
    await waitFor(() =>
      stage.shop.requests.some(({ text, path }) => path === '/hook' && text.includes(quoteId)),
    );
    const none = await runCli(['endpoints', 'recover', endpointId], env);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("required option '--since <time>' not specified"),
    ]);
  });
});

describe('paybell endpoints, changed', () => {
  const stateOf = async (id: string): Promise<unknown> =>
    jsonOf(await app.fetch(`/api/webhook-endpoints/${id}`), 200);
  let id: string;

  beforeAll(async () => {
    const url = `${stage.shop.url}/changed`;
    ({ id } = JSON.parse(await run('endpoints', 'add', url, '--json')) as { id: string });
  });

  it('edit changes the URL, the types and the description, and nothing else', async () => {
    const url = `${stage.shop.url}/moved`;
    await run('endpoints', 'edit', id, '--url', url, '--type', 'payment.created', '--description', 'moved');
    expect(await stateOf(id)).toMatchObject({ url, eventTypes: ['payment.created'], description: 'moved' });
    await run('endpoints', 'edit', id, '--all-types', '--description', '');
    expect(await stateOf(id)).toMatchObject({ url, description: null });
    const nothing = await runCli(['endpoints', 'edit', id], env);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('--all-types')]);
  });

  it('enable sends what it was not sent where that is asked for, and else says how many and how', async () => {
    const missed = async (): Promise<string> => {
      const disabled = await runCli(['endpoints', 'disable', id], env);
      expect([disabled.code, disabled.stdout]).toEqual([0, expect.stringMatching(/^state +disabled$/m)]);
      expect(disabled.stderr).toContain(`paybell endpoints enable ${id} --recover`);
      return stage.quote(app);
    };
    await missed();
    const enabled = await runCli(['endpoints', 'enable', id], env);
    expect([enabled.code, enabled.stderr]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^It was not sent 1 event: \`paybell endpoints recover ${id} --since \\S+Z\` sends them\\.\\n$`,
        ),
      ),
    ]);
    const quoteId = await missed();
    const recovered = await runCli(['endpoints', 'enable', id, '--recover'], env);
    expect([recovered.code, recovered.stderr]).toEqual([0, '']);
    expect(recovered.stdout).toMatch(/^sends again +\d events?$/m);
    await waitFor(() =>
      stage.shop.requests.some(({ text, path }) => path === '/moved' && text.includes(quoteId)),
    );
  });

  it('delete asks first, or takes --yes', async () => {
    const asked = await runCli(['endpoints', 'delete', id], env);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Say so with --yes.')]);
    expect(await run('endpoints', 'delete', id, '--yes')).toMatch(/ is deleted\.\n$/);
    expect((await app.fetch(`/api/webhook-endpoints/${id}`)).status).toBe(404);
  });
});

describe('paybell deliveries', () => {
  it('list, show and retry a delivery that fails', async () => {
    stage.shop.answer(() => ({ status: 500, body: 'no\u001b[31m' }));
    const quoteId = await stage.quote(app);
    const pending = async () => {
      const found = await run(
        'deliveries',
        'list',
        '--quote-id',
        quoteId,
        '--endpoint',
        endpointId,
        '--state',
        'pending',
        '--json',
      );
      const { data } = JSON.parse(found) as { data: { id: string; attemptCount: number }[] };
      return data.find(({ attemptCount }) => attemptCount > 0);
    };
    const { id } = await waitFor(pending);
    expect(await run('deliveries', 'list', '--state', 'pending', 'failed')).toMatch(
      new RegExp(`^${id} +pending +1 payment\\.created +${quoteId} .* refuses 500 `, 'm'),
    );
    const ids = async (sort: string): Promise<string[]> => {
      const { data } = JSON.parse(await run('deliveries', 'list', '--sort', sort, '--json'));
      return (data as { id: string }[]).map((each) => each.id);
    };
    const oldest = await ids('oldest');
    expect(oldest).toEqual(oldest.toSorted((a, b) => Number(a) - Number(b)));
    expect(oldest).toContain(id);
    const shown = await run('deliveries', 'show', id);
    expect(shown).toMatch(/^ATTEMPT +TIME +MS +ADDRESS +STATUS +FAILURE +CODE +ANSWER$/m);
    expect(shown).toMatch(/ 500 +status +- +no \[31m$/m);
    expect(shown).not.toContain('\u001b');
    stage.shop.answer(() => ({ status: 204 }));
    const retried = await runCli(['deliveries', 'retry', id, '999999'], env);
    expect(retried.stderr).toMatch(/^999999: Unknown webhook delivery \(404 /);
    expect([retried.code, retried.stdout]).toEqual([1, expect.stringMatching(new RegExp(`^${id} `, 'm'))]);
    await waitFor(
      async () => JSON.parse(await run('deliveries', 'show', id, '--json')).state === 'delivered',
    );
    const unknown = await runCli(['deliveries', 'show', '999999'], env);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('(404 unknown_webhook_delivery)'),
    ]);
  });
});
