import { userInfo } from 'node:os';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { type CliEnding, runCli } from '../support/cli.ts';
import type { SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

/** Runs the command beside a running Paybell, with the same settings. */
function restored(
  { env, port }: { readonly env: Readonly<Record<string, string>>; readonly port: number },
  input: string,
  words = ['--from', '-'],
): Promise<CliEnding> {
  return runCli(['after-restore', ...words], { ...env, PORT: String(port) }, input);
}

function count(stdout: string, label: string): number {
  return Number(new RegExp(`^${label}[^\\n]*?(\\d+)$`, 'm').exec(stdout)?.[1]);
}

describe('paybell after-restore --from', () => {
  let stage: Stage;
  let app: SharedService;
  let env: Record<string, string>;

  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.startWarm();
    env = { DATABASE_URL: stage.database.url, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  });

  it('hands over what the file names to the running Paybell, reports it, and leaves no key behind', async () => {
    const [lost, known] = [stage.provider.addQuote({ status: 'COMPLETED' }), stage.provider.addQuote()];
    await jsonOf(await app.fetch(`/api/status/${known}`), 200);
    const quote = `{"quoteId":"${lost}", "n": 123456789012345678901234567890}`;
    const unknown = 'a-quote-that-nobody-knows';
    const { code, stdout, stderr } = await restored(
      { env, port: app.port },
      [
        `{"quoteId":"${lost}","orderId":"A-7","metadata":{"shop":"eu"},"quote":${quote}}`,
        `{"quoteId":"${known}","orderId":"A-8"}`,
        `{"quoteId":"${unknown}"}`,
      ].join('\n'),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`line 3: ${unknown} is unknown to the provider\n`);
    const labels = ['lines', 'payments found again', 'payments known before', 'unknown to the provider'];
    expect(labels.map((label) => count(stdout, label))).toEqual([3, 1, 1, 1]);
    const found = await app.fetch(`/api/payments/${lost}`);
    const body = await found.text();
    expect(JSON.parse(body)).toMatchObject({ status: 'COMPLETED', orderId: 'A-7', metadata: { shop: 'eu' } });
    expect(body).toContain(quote);
    expect(await jsonOf(await app.fetch(`/api/payments/${known}`), 200)).toMatchObject({ orderId: 'A-8' });
    const older = await restored({ env, port: app.port }, `{"quoteId":"${lost}","orderId":"A-6"}`);
    expect([older.code, older.stdout]).toEqual([
      0,
      expect.stringContaining(`line 1: ${lost} keeps its order`),
    ]);
    expect(await jsonOf(await app.fetch(`/api/payments/${lost}`), 200)).toMatchObject({ orderId: 'A-7' });
    expect(await stage.database.query('SELECT name FROM api_key')).toEqual([]);
  });

  it('stands in the audit log as a command with its exit status, and each payment under the key that it used', async () => {
    const quoteId = stage.provider.addQuote();
    const lines = `{"quoteId":"${quoteId}"}\nno JSON`;
    const { code } = await restored({ env, port: app.port }, lines, ['--from', '-', '--url', app.url]);
    expect(code).toBe(1);
    const { data } = await jsonOf(await app.fetch('/api/audit?limit=2'), 200);
    expect(data).toMatchObject([
      { via: 'api', action: 'payment.track', target: quoteId, role: 'admin', status: 201 },
      {
        who: userInfo().username,
        via: 'cli',
        action: 'payments.adopt',
        values: { file: '-', url: app.url, apiKeyName: (data as { who: string }[])[0]?.who },
        status: 1,
      },
    ]);
  });
});
