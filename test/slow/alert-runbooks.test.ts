import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { TOOLS } from '../../tools/testkit/machine-tools.js';
import { PrivatePostgres } from '../../tools/testkit/private-postgres.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { API_KEY, type AppProcess } from '../support/app-process.ts';
import { NPX, snippet } from '../support/doc-snippet.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, unknown>;

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-runbooks-'));

let server: PrivatePostgres;
let stage: Stage;
let app: AppProcess;

// The transaction that the runbook ends is the oldest of the whole server.
beforeAll(async () => {
  server = await PrivatePostgres.create(folder);
  await server.query('CREATE DATABASE paybell');
  stage = await Stage.open();
  writeFileSync(join(folder, 'npx'), NPX, { mode: 0o755 });
  app = await stage.start({ DATABASE_URL: server.url('paybell'), WEBHOOK_RETRY_SCHEDULE: '200ms' });
});
afterAll(async () => {
  await app.remove();
  server.destroy();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of docs/running/alerts.md like a person on call; returns what it printed. */
async function runbook(name: string, env: Record<string, string> = {}): Promise<string> {
  const command = await snippet('docs/running/alerts.md', name, 'sh');
  const PATH = [folder, TOOLS.postgresql.find() ?? '', process.env['PATH'] ?? ''].join(delimiter);
  const options = {
    env: {
      PATH,
      PAYBELL_URL: app.url,
      PAYBELL_API_KEY: API_KEY,
      DATABASE_URL: server.url('paybell'),
      PROVIDER: 'sandbox',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...env,
    },
  };
  return (await promisify(execFile)('bash', ['-euc', command], options)).stdout;
}

async function addEndpoint(path: string): Promise<string> {
  const body = { url: `${stage.shop.url}${path}` };
  return String(
    (await jsonOf(await app.fetch('/api/webhook-endpoints', { method: 'POST', body }), 201))['id'],
  );
}

describe('what docs/running/alerts.md says to do at an alert', () => {
  it('shows health, what needs a person, the endpoints, and what disagrees', async () => {
    const output = await runbook('look after an alert');
    for (const words of [
      /^ok +service .*\bdatabase\b/m,
      /^ok +attention +nothing needs a person$/m,
      /^ID +ENDPOINT /m,
    ])
      expect(output).toMatch(words);
  });

  it('enables an endpoint that was disabled, and what waited is sent', async () => {
    stage.shop.answer(() => ({ status: 410 }));
    const id = await addEndpoint('/gone');
    const quoteId = await stage.quote(app);
    const read = async (): Promise<Json> => jsonOf(await app.fetch(`/api/webhook-endpoints/${id}`), 200);
    await waitFor(async () => (await read())['enabled'] === false);
    stage.shop.answer(() => ({ status: 204 }));
    const before = stage.shop.requests.length;
    expect(await runbook('enable an endpoint', { ENDPOINT_ID: id })).toMatch(new RegExp(`^id +${id}$`, 'm'));
    expect(await read()).toMatchObject({ enabled: true });
    await waitFor(() => stage.shop.requests.slice(before).some(({ text }) => text.includes(quoteId)));
  });

  it('sends again what was given up', async () => {
    stage.shop.answer(() => ({ status: 500 }));
    const id = await addEndpoint('/refuses');
    const quoteId = await stage.quote(app);
    const failed = async (): Promise<unknown[]> => {
      const path = `/api/webhook-deliveries?endpointId=${id}&state=failed`;
      return (await jsonOf(await app.fetch(path), 200))['data'] as unknown[];
    };
    await waitFor(async () => (await failed()).length === 1);
    const [deliveryId = ''] = /^[\da-f-]+(?= )/m.exec(await runbook('list what was given up')) ?? [];
    const shown = await runbook('show the attempts of a payment', {
      QUOTE_ID: quoteId,
      DELIVERY_ID: deliveryId,
    });
    for (const words of [quoteId, deliveryId, '500']) expect(shown).toContain(words);
    stage.shop.answer(() => ({ status: 204 }));
    const before = stage.shop.requests.length;
    await runbook('recover an endpoint', { ENDPOINT_ID: id });
    await waitFor(() =>
      stage.shop.requests
        .slice(before)
        .some(({ path, text }) => path === '/refuses' && text.includes(quoteId)),
    );
  });

  it('shows what waits for an endpoint, and sends it a test', async () => {
    const id = await addEndpoint('/mended');
    expect(await runbook('test an endpoint', { ENDPOINT_ID: id })).toMatch(/^delivered +yes$/m);
    expect(stage.shop.requests.at(-1)).toMatchObject({ path: '/mended' });
  });

  it('ends the transaction that holds the event log', async () => {
    const forgotten = new pg.Client({
      connectionString: server.url('postgres'),
      application_name: 'forgotten',
    });
    forgotten.on('error', () => undefined);
    const ended = new Promise((resolve) => forgotten.once('end', resolve));
    await forgotten.connect();
    await forgotten.query('BEGIN; CREATE TABLE forgotten (id integer)');
    const quoteId = await stage.quote(app);
    const listed = async (): Promise<boolean> =>
      (await (await app.fetch(`/api/events?quoteId=${quoteId}`)).text()).includes(quoteId);
    expect(await listed()).toBe(false);
    expect(await runbook('end the oldest writing transaction')).toMatch(/\d+ \| forgotten +\|.*\| t$/m);
    await ended;
    await waitFor(listed);
  });
});
