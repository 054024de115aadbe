import { randomBytes } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, runCli } from '../../support/cli.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { freePort } from '../../../tools/testkit/free-port.ts';
import { TcpProxy } from '../../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

let stage: Stage;
let app: SharedService;
let local: Record<string, string>;

interface Check {
  readonly check: string;
  readonly outcome: string;
  readonly detail: string;
  readonly advice: string | null;
}

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm();
  local = { DATABASE_URL: stage.database.url, ENCRYPTION_KEY, PROVIDER: 'sandbox' };
});

async function examined(env: Record<string, string>): Promise<{ code: unknown; checks: Map<string, Check> }> {
  const { code, stdout } = await runCli(['doctor', '--json'], env);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, checks: new Map(checks.map((each) => [each.check, each])) };
}

describe('paybell doctor', () => {
  it('finds nothing wrong beside a Paybell that works, and asks it too', async () => {
    const { code, stdout, stderr } = await runCli(['doctor'], { ...local, ...asking(app) });
    expect([code, stderr]).toEqual([0, '']);
    const shell = ['configuration', 'database', 'schema', 'rights', 'clock', 'provider'];
    const checks = ['service', 'key', 'attention', ...shell.map((check) => `this shell: ${check}`)];
    for (const check of checks) expect(stdout).toMatch(new RegExp(`^ok +${check} `, 'm'));
    expect(stdout).toMatch(/^off +this shell: broker /m);
    expect(stdout).toMatch(/^ok +this shell: schema +1 migration, all applied$/m);
    expect(stdout).toMatch(/^ok +service +\S+ answers with 200; ok: database, .*deliveries/m);
    // The trouble stands last, above the prompt, and all of it on one screen.
    expect(stdout).toMatch(
      /\nwarning +receivers +there is no endpoint.*\n +-> `paybell endpoints add URL`.*\n\nNothing is wrong\. The arrows say what to do\.\n$/,
    );
    expect(stdout.split('\n').length).toBeLessThan(25);
    expect(stdout).not.toContain('\u001b');
  });

  it('finds what is wrong with each neighbour, says what to do, and shows no secret', async () => {
    const { code, checks } = await examined({
      ...local,
      DATABASE_URL: 'postgres://root:hunter2@127.0.0.1:1/x',
      PAYBELL_URL: 'http://127.0.0.1:2',
      PAYBELL_API_KEY: 'hunter2',
      RABBITMQ_URL: 'amqp://guest:hunter2@127.0.0.1:1',
      PROVIDER: 'http',
      PROVIDER_BASE_URL: 'http://127.0.0.1:1',
      PROVIDER_API_KEY: 'hunter2',
    });
    expect(code).toBe(1);
    expect(JSON.stringify([...checks.values()])).not.toContain('hunter2');
    for (const [check, detail] of [
      ['database', /does not answer\. \(ECONNREFUSED connection refused\)/],
      ['service', /: ECONNREFUSED$/],
      ['broker', /^127\.0\.0\.1:1: connection refused$/],
      ['provider', /^chains: .*refused/],
    ] as const)
      expect([check, checks.get(check)]).toMatchObject([
        check,
        { outcome: 'wrong', detail: expect.stringMatching(detail), advice: expect.stringMatching(/\w/) },
      ]);
    const unread = await examined({ ...local, PORT: 'many' });
    expect([unread.code, unread.checks.get('configuration')]).toMatchObject([
      1,
      { outcome: 'wrong', detail: expect.stringMatching(/PORT is .*not a whole number/) },
    ]);
  });

  it('finds a user of the database who may not write its tables', async () => {
    const name = `paybell_reader_${randomBytes(4).toString('hex')}`;
    await stage.database.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
    try {
      await stage.database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`);
      const url = new URL(stage.database.url);
      url.username = name;
      url.password = name;
      const { code, checks } = await examined({ ...local, DATABASE_URL: url.href });
      expect(code).toBe(1);
      expect(checks.get('rights')).toMatchObject({
        outcome: 'wrong',
        detail: expect.stringContaining('payment'),
      });
    } finally {
      await stage.database.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    }
  });

  it('asks a Paybell elsewhere with nothing but its URL and a key', async () => {
    const elsewhere = { ...asking(app), DATA_DIR: '/nonexistent/paybell' };
    const { code, checks } = await examined(elsewhere);
    expect([code, checks.get('database')?.outcome, checks.get('key')?.detail]).toEqual([
      0,
      'off',
      'test, with the role admin',
    ]);
    const wrong = await examined({ ...elsewhere, PAYBELL_API_KEY: 'wrong' });
    expect([wrong.code, wrong.checks.get('key')?.outcome]).toEqual([1, 'wrong']);
    const away = await examined({ ...elsewhere, PAYBELL_URL: `http://127.0.0.1:${await freePort()}` });
    expect([away.code, away.checks.get('service')?.outcome]).toEqual([1, 'wrong']);
  });
});

describe('paybell doctor while money is not told', () => {
  it('fails without a key too, and says where', async () => {
    const other = await Stage.open();
    const failing = await other.startWarm();
    await failing.fetch('/api/webhook-endpoints', {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/hook', description: 'shop EU' },
    });
    await other.quote(failing);
    await other.ageDeliveries();
    const found = async () => examined({ PAYBELL_URL: failing.url, DATA_DIR: '/nonexistent/paybell' });
    // The service has the facts that the command repeats, and is cheaper to ask.
    const isUntold = async () =>
      (await (await fetch(`${failing.url}/health/ready`)).text()).includes('shop EU');
    await waitFor(isUntold, { timeoutMs: 60_000, everyMs: 200, what: 'an event that was not told' });
    const { code, checks } = await found();
    expect([code, checks.get('service deliveries')]).toMatchObject([
      1,
      { outcome: 'wrong', advice: expect.stringContaining('`paybell payments list --undelivered`') },
    ]);
    const withKey = await examined({ ...asking(failing), DATA_DIR: '/nonexistent/paybell' });
    expect([withKey.code, withKey.checks.get('attention undelivered')?.outcome]).toEqual([1, 'wrong']);
    // One cause has one line, that of attention, which says more.
    expect(withKey.checks.has('receivers')).toBe(false);
    expect(withKey.checks.has('service deliveries')).toBe(false);
  });
});

describe('paybell doctor while the database is away', () => {
  it.each(['cut', 'freeze'] as const)('says so, and not to make a key: %s', async (part) => {
    const database = new URL(stage.database.url);
    const proxy = await TcpProxy.inFrontOf(stage.database.url, 5432);
    const beside = await stage.startWarm({ DATABASE_URL: proxy.through(database.href) });
    proxy[part]();
    try {
      await waitFor(async () => (await fetch(`${beside.url}/health/ready`)).status === 503, {
        everyMs: 200,
        what: 'the database to be missed',
      });
      const { code, checks } = await examined({ ...asking(beside), DATA_DIR: '/nonexistent/paybell' });
      expect([code, checks.get('service database')?.advice, checks.get('key')]).toMatchObject([
        1,
        'Start PostgreSQL, or correct DATABASE_URL of the service.',
        { outcome: 'off', detail: expect.stringContaining('the database is away') },
      ]);
      expect(
        [...checks.values()].filter(({ outcome }) => outcome === 'wrong' || outcome === 'warning'),
      ).toHaveLength(1);
    } finally {
      proxy.heal();
      await proxy.close();
    }
  });
});

describe('paybell doctor while nothing answers in time', () => {
  it('blames no key and no neighbour for a silence whose cause nobody saw', async () => {
    const slow = await HttpReceiver.start(({ path }) =>
      path === '/health/ready' ? { status: 200, body: '{"status":"ok","checks":{}}' } : 'hang',
    );
    const silent = await TcpProxy.inFrontOf(stage.database.url, 5432);
    silent.freeze();
    const { code, checks } = await examined({
      PAYBELL_URL: slow.url,
      PAYBELL_API_KEY: 'right',
      ENCRYPTION_KEY,
      DATABASE_URL: silent.through(stage.database.url),
      RABBITMQ_URL: silent.through('amqp://127.0.0.1'),
      PROVIDER: 'http,oneclick',
      PROVIDER_BASE_URL: slow.url,
      PROVIDER_API_KEY: 'a key',
      ONECLICK_BASE_URL: slow.url,
      CHAIN_RPC: `8453=${slow.url}`,
      CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8',
    });
    const wrong = [...checks.values()].filter(({ outcome }) => outcome === 'wrong');
    expect([code, wrong.map(({ check }) => check)]).toEqual([
      1,
      ['attention', 'database', 'broker', 'provider http', 'provider oneclick', 'chain 8453 127.0.0.1'],
    ]);
    for (const { check, detail, advice } of wrong)
      expect([check, detail, advice]).toEqual([
        check,
        expect.stringMatching(/(^|: |^Paybell )did not answer in 3(\.3)? s$/),
        expect.stringMatching(/^Ask again once the machine has less to do\./),
      ]);
    await Promise.all([slow.close(), silent.close()]);
  });
});

describe('paybell keys', () => {
  it('goes through the API with PAYBELL_URL, into the database without, and the audit log says which', async () => {
    const byApi = await runCli(['keys', 'add', 'by-api', '--role', 'viewer', '--json'], asking(app));
    const { key } = JSON.parse(byApi.stdout) as { key: string };
    const direct = await runCli(['keys', 'add', 'direct', '--role', 'operator'], local);
    expect([byApi.code, direct.code, direct.stdout]).toEqual([0, 0, expect.stringMatching(/^pb_\S+\n$/)]);
    const { data } = await jsonOf(await app.fetch('/api/audit?action=key.create'), 200);
    expect(data).toMatchObject([
      { target: 'direct', via: 'cli', status: 0 },
      { target: 'by-api', via: 'api', who: 'test', status: 201 },
    ]);
    const refused = await runCli(['keys', 'list'], asking(app, key));
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('(403 forbidden)')]);
    const listed = await runCli(['keys', 'list'], asking(app));
    expect(listed.stdout).toMatch(/^by-api +viewer +\S+Z /m);
    expect(listed.stdout).toMatch(/^test +admin +in API_KEYS /m);
    const inDatabase = await runCli(['keys', 'list', '--json'], local);
    expect((JSON.parse(inDatabase.stdout) as { data: object[] }).data).toHaveLength(2);
    expect(await runCli(['keys', 'revoke', 'by-api'], asking(app))).toMatchObject({
      code: 0,
      stdout: 'by-api is revoked.\n',
    });
    expect(await runCli(['keys', 'revoke', 'direct', '--json'], local)).toMatchObject({
      code: 0,
      stdout: '{"name":"direct"}\n',
    });
    expect(await runCli(['keys', 'add', 'x', '--role', 'root'], local)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are shop, viewer, operator, admin'),
    });
  });
});
