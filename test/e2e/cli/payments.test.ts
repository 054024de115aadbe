import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, CLI, CliProcess, runCli } from '../../support/cli.ts';
import { Stage } from '../../support/stage.ts';
import { freePort } from '../../../tools/testkit/free-port.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { quoteObject } from '../../../tools/testkit/provider-objects.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

let stage: Stage;
let app: SharedService;
let env: Record<string, string>;
let quoteId: string;

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm({
    API_KEYS: `test:test-key-0123456789abcdef,web:shop-key-0123456789abcdef:shop`,
  });
  env = asking(app);
  await stage.addShop(app);
  quoteId = await stage.quote(app, { orderId: '=A-1' });
  stage.say([quoteId], 'COMPLETED');
  await stage.published(app, quoteId, ['created', 'completed']);
});

describe('paybell payments', () => {
  it('list shows a table, filtered, without colours in a pipe; --json is the answer of the API', async () => {
    const other = await stage.quote(app);
    const { code, stdout, stderr } = await runCli(
      ['payments', 'list', '--status', 'COMPLETED', 'FAILED'],
      env,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^QUOTE ID +ORDER +PROVIDER +STATUS +AMOUNT +LATE +TRACKING +CREATED +UPDATED +NOT TOLD\n/,
    );
    expect(stdout).toMatch(new RegExp(`^${quoteId} .* http +COMPLETED +[0-9.]+ \\w+ `, 'm'));
    expect(stdout).not.toContain(other);
    expect(stdout).not.toContain('\u001b');
    const json = await runCli(['payments', 'list', '--order-id', '=A-1', '--json'], env);
    const answer = await app.fetch('/api/payments?orderId=%3DA-1');
    expect(JSON.parse(json.stdout)).toEqual(await answer.json());
    const ofProvider = await runCli(['payments', 'list', '--provider', 'http', '--json'], env);
    expect(JSON.parse(ofProvider.stdout).data).toHaveLength(2);
    const ofGone = await runCli(['payments', 'list', '--provider', 'relay', '--json'], env);
    expect(JSON.parse(ofGone.stdout).data).toEqual([]);
    const page = await runCli(['payments', 'list', '--limit', '1', '--created-after', '1h'], env);
    const cursor = /^1 of 2: --all, or --cursor (\S+)\n$/.exec(page.stderr)?.[1] ?? '';
    const rest = await runCli(['payments', 'list', '--cursor', cursor], env);
    expect([page.stdout.includes(other), rest.stdout.includes(quoteId)]).toEqual([true, true]);
    const oldest = await runCli(['payments', 'list', '--sort', 'oldest', '--limit', '1'], env);
    expect([oldest.stdout.includes(other), oldest.stdout.includes(quoteId)]).toEqual([false, true]);
  });

  it('list --undelivered says how many and why, and --all has every page', async () => {
    const down = await Stage.open();
    const silent = await down.startWarm();
    const quoteIds = await Promise.all(Array.from({ length: 3 }, () => down.quote(silent)));
    await down.ageDeliveries();
    const words = ['payments', 'list', '--undelivered'];
    const page = await runCli([...words, '--limit', '2'], asking(silent));
    expect(page.stderr).toMatch(/^2 of 3: --all, or --cursor \S+\n$/);
    const all = await runCli([...words, '--limit', '2', '--all'], asking(silent));
    expect(all.stderr).toBe('3 in all.\n');
    for (const id of quoteIds) expect(all.stdout).toMatch(new RegExp(`^${id} .* no receiver$`, 'm'));
    const json = await runCli([...words, '--all', '--json'], asking(silent));
    expect([json.stderr, JSON.parse(json.stdout).data.length]).toEqual(['', 3]);
    const shown = await runCli(['payments', 'show', quoteIds[0] ?? ''], asking(silent));
    expect(shown.stdout).toMatch(/\n-> No receiver: `paybell endpoints add URL`/);

    await runCli(['endpoints', 'add', `${down.shop.url}/hook`], asking(silent));
    const later = await runCli(['payments', 'show', quoteIds[0] ?? ''], asking(silent));
    expect(later.stdout).toContain('Nobody was told: there was no receiver then.');
    expect(later.stdout).toMatch(
      /\n-> Events without a receiver: `paybell endpoints recover \S{36} --since /,
    );
  });

  it('are bold and coloured where colours are asked for, and never with NO_COLOR', async () => {
    const coloured = await runCli(['payments', 'list'], { ...env, FORCE_COLOR: '1' });
    expect(coloured.stdout).toMatch(/^\u001b\[1mQUOTE ID/);
    const plain = await runCli(['payments', 'list'], { ...env, NO_COLOR: '1' });
    expect(plain.stdout).not.toContain('\u001b');
  });

  it('quotes unanswered has all requests without an answer, page by page, as attention counts them', async () => {
    await stage.database.query(
      `INSERT INTO unanswered_quote (provider, order_id, request, reason)
       SELECT 'http', 'U-' || n, '{"amount":"1.5","fromChainId":8453}', 'timeout' FROM generate_series(1, 250) n`,
    );
    const orders: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const words = ['quotes', 'unanswered', '--tracked', 'false', '--limit', '100'];
      const page = await runCli([...words, ...(cursor === '' ? [] : ['--cursor', cursor])], env);
      orders.push(
        ...[...page.stdout.matchAll(/ http +(U-\d+) +1\.5 +8453 /g)].map(([, order]) => order ?? ''),
      );
      cursor = /^There are more: --cursor (\S+)\n$/.exec(page.stderr)?.[1];
    }
    expect(orders).toEqual(Array.from({ length: 250 }, (_, n) => `U-${250 - n}`));
    const { items } = (await (await app.fetch('/api/attention')).json()) as { items: { code: string }[] };
    expect(items.filter(({ code }) => code === 'quotes_unanswered')).toMatchObject([{ count: 250 }]);
    const refused = await app.fetch('/api/unanswered-quotes?order=U-1');
    expect([refused.status, (await refused.text()).includes('orderId')]).toEqual([400, true]);
  });

  it('show has the events in order and what the endpoints have acknowledged', async () => {
    const { code, stdout } = await runCli(['payments', 'show', quoteId], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Paid .* and completed\. .*The shop knows\.\n\nquote id /);
    expect(stdout).toMatch(/^status +COMPLETED$/m);
    expect(stdout).toMatch(/^1 +payment\.created /m);
    expect(stdout).toMatch(/^2 +payment\.completed /m);
    expect(stdout).toMatch(/^amount +\S+ \w+ for \S+ \w+$/m);
    expect(stdout).toMatch(/^route +\S.* to \S.*$/m);
    expect(stdout).toMatch(/^recipient +\w+$/m);
    expect(stdout).toMatch(/^http:\S+ +2 of 2 +- +- +- +- +-$/m);
    const shop = await runCli(['payments', 'show', quoteId], asking(app, 'shop-key-0123456789abcdef'));
    expect([shop.code, shop.stderr]).toEqual([0, 'The role of this key does not show deliveries.\n']);
    const json = await runCli(['payments', 'show', quoteId, '--json'], env);
    const answer = await (await app.fetch(`/api/payments/${quoteId}`)).text();
    expect(json.stdout).toBe(`${answer}\n`);
  });

  it('show takes an order too, and lists the payments of one that has several', async () => {
    const byOrder = await runCli(['payments', 'show', '=A-1'], env);
    expect([byOrder.code, byOrder.stderr]).toEqual([0, '']);
    expect(byOrder.stdout).toMatch(new RegExp(`^quote id +${quoteId}$`, 'm'));
    const twice = [await stage.quote(app, { orderId: 'A-2' }), await stage.quote(app, { orderId: 'A-2' })];
    const several = await runCli(['payments', 'show', 'A-2'], env);
    expect(several.stderr).toBe('The order has 2 payments: name one by its quote id.\n');
    expect(several.stdout).toMatch(/^Not paid yet\. 2 payments may still come\.\n\n/);
    for (const id of twice) expect(several.stdout).toMatch(new RegExp(`^${id} +A-2 `, 'm'));
    // The payment with this id comes before an order of the same name.
    const named = await stage.quote(app, { orderId: quoteId });
    const exact = await runCli(['payments', 'show', quoteId], env);
    expect([exact.stdout.includes('=A-1'), exact.stdout.includes(named)]).toEqual([true, false]);
    const unknown = await runCli(['payments', 'show', 'A-404'], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, 'No payment and no order has the id A-404.\n']);
  });

  it('show says how far a shop that refuses was told, the cause, and what to do', async () => {
    stage.shop.answer(() => ({ status: 500, body: 'out of stock' }));
    const id = await stage.quote(app, { orderId: 'A-3' });
    stage.say([id], 'EXECUTING');
    const shown = await waitFor(async () => {
      const { stdout } = await runCli(['payments', 'show', 'A-3'], env);
      return stdout.includes('payment.executing') && /out of stock”; next try/.test(stdout) && stdout;
    });
    expect(shown).toMatch(
      /^http:\S+ +0 of 2 +#1 payment\.created +refuses 500: out of stock.* payment\.executing +\d+$/m,
    );
    expect(shown).toMatch(/^.* refused payment\.created.*: 500, “out of stock”; next try/);
    expect(shown).toMatch(/\n-> http:\S+: Look into the log of the shop/);
    stage.shop.answer(() => ({ status: 204 }));
  });

  it('of an order are what orders show has, which says how they stand', async () => {
    const { code, stdout } = await runCli(['orders', 'show', '=A-1'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^open +-\ncompleted +${quoteId}\nresolved +-\n\nQUOTE ID `, 'm'));
    expect(stdout).toMatch(new RegExp(`^${quoteId} +=A-1 +http +COMPLETED `, 'm'));
    expect(stdout).toMatch(/^TOKEN +CHAIN +ASKED +CAME +PROMISED +ARRIVED$/m);
    const unknown = await runCli(['orders', 'show', 'A-9'], env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('unknown_order')]);
  });

  it('refresh asks the provider now', async () => {
    const open = await stage.quote(app);
    stage.say([open], 'EXPIRED');
    const asked = (): number => stage.provider.requests.filter(({ path }) => path.includes(open)).length;
    // From now on Paybell polls rarely by itself, and a refresh within a second of a poll sends no request.
    await waitFor(async () => (await stage.at([open], 'EXPIRED')).length === 1);
    const { code, stdout } = await waitFor(
      async () => {
        const before = asked();
        const ended = await runCli(['payments', 'refresh', open], env);
        return asked() > before && ended;
      },
      { everyMs: 250, what: 'a refresh that asks the provider' },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${open} .* EXPIRED `, 'm'));
    const json = await runCli(['payments', 'refresh', '--json', open, quoteId], env);
    const ids = json.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { quoteId: string }).quoteId);
    expect(ids).toEqual([open, quoteId]);
  });

  it('refresh shows what it has asked before one that is refused, and names that one', async () => {
    const { code, stdout, stderr } = await runCli(['payments', 'refresh', quoteId, 'unknown-one'], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^unknown-one: Unknown payment \(404 /)]);
    expect(stdout).toMatch(new RegExp(`^${quoteId} `, 'm'));
  });

  it('track hands a quote over, digit for digit', async () => {
    const elsewhere = stage.provider.addQuote();
    const quote = JSON.stringify(quoteObject(elsewhere)).replace(/}$/, ',"n":12345678901234567890.10}');
    const words = [
      'payments',
      'track',
      elsewhere,
      '--order-id',
      'A-9',
      '--metadata',
      'shop=eu',
      '--metadata',
      'x=a=b',
    ];
    const { code, stdout } = await runCli([...words, '--quote', '-'], env, quote);
    expect([code, stdout]).toEqual([0, expect.stringContaining(elsewhere)]);
    const stored = await (await app.fetch(`/api/payments/${elsewhere}`)).text();
    expect(stored).toContain('12345678901234567890.10');
    expect(JSON.parse(stored)).toMatchObject({ orderId: 'A-9', metadata: { shop: 'eu', x: 'a=b' } });
    const bad = await runCli(['payments', 'track', elsewhere, '--quote', '-'], env, '[]');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('no JSON object')]);
  });

  it('track --file hands over each line, says which are refused, and may be repeated', async () => {
    const [one, two] = [stage.provider.addQuote(), stage.provider.addQuote({ status: 'EXECUTING' })];
    const lines = [`${one},B-1`, '', `{"quoteId":"${two}","orderId":"B-2"}`, 'unheard-of B-3'].join('\n');
    const words = ['payments', 'track', '--file', '-'];
    const { code, stdout } = await runCli(words, env, lines);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^created +2\nknown +0\nrefused +1\n/m)]);
    expect(stdout).toMatch(/^line 4: unheard-of: Unknown payment \(404 unknown_payment\)/);
    const again = await runCli([...words, '--json'], env, `${one}\n${two}\n`);
    const results = again.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([again.code, results]).toEqual([
      0,
      [one, two].map((id) => ({ quoteId: id, result: 'known', problem: null })),
    ]);
    const { orderId } = (await (await app.fetch(`/api/payments/${one}`)).json()) as { orderId: string };
    expect(orderId).toBe('B-1');
    const bad = await runCli(words, env, `${one}\n[]\n`);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('line 2 is neither')]);
    const none = await runCli(['payments', 'track'], env);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--file')]);
  });

  it('export streams CSV that is safe to open, to a file only when it is complete', async () => {
    const words = ['payments', 'export', '--status', 'COMPLETED', '--sort', 'oldest'];
    const { code, stdout } = await runCli(words, env);
    expect(code).toBe(0);
    const theirs = await (
      await app.fetch('/api/payments?status=COMPLETED', { headers: { accept: 'text/csv' } })
    ).text();
    expect(stdout.replace(/^\ufeff/, '')).toBe(theirs.replace(/^\ufeff/, ''));
    expect(stdout).toContain(`${quoteId},'=A-1,`);
    const folder = mkdtempSync(join(tmpdir(), 'paybell-cli-'));
    const file = join(folder, 'payments.csv');
    const written = await runCli(['payments', 'export', '--status', 'COMPLETED', '--output', file], env);
    expect([written.code, readFileSync(file, 'utf8').includes(quoteId)]).toEqual([0, true]);
    writeFileSync(file, 'before');
    const refused = await runCli(['payments', 'export', '--token', 'x'.repeat(500), '--output', file], env);
    expect([refused.code, readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([
      1,
      'before',
      ['payments.csv'],
    ]);
  });
});

it('paybell help payments list shows the options of the command', async () => {
  const { code, stdout, stderr } = await runCli(['help', 'payments', 'list'], {});
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: paybell payments list \[options\]\n[^]*--created-after/);
});

describe('a command that fails', () => {
  it('tells that its output has no room', async () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [CLI, '--help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([1, 'Standard output cannot be written: ENOSPC\n']);
  });

  it.each([
    [
      'a field that is not right',
      ['payments', 'list', '--search', 'x'.repeat(500)],
      1,
      /\(400 invalid_request\): [^\n]+\n {2}search: /,
    ],
    [
      'wrong words',
      ['payments', 'list', '--stat'],
      2,
      /^error: unknown option '--stat'[^]*Usage: paybell payments list/,
    ],
    ['no command', ['payments'], 2, /^Usage: paybell payments/],
  ])('tells %s, with its exit status and no stack', async (_what, words, status, pattern) => {
    const { code, stdout, stderr } = await runCli(words, env);
    expect([code, stdout]).toEqual([status, '']);
    expect(stderr).toMatch(pattern);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('tells a wrong key from a role that may not, and from a Paybell that is not there', async () => {
    const wrong = await runCli(['payments', 'list'], { ...env, PAYBELL_API_KEY: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([
      4,
      expect.stringMatching(/^An API key is required \(401 unauthorized\)/),
    ]);
    const shop = await runCli(['deliveries', 'list'], asking(app, 'shop-key-0123456789abcdef'));
    expect([shop.code, shop.stderr]).toEqual([4, expect.stringContaining('(403 forbidden)')]);
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const away = await runCli(['payments', 'list'], { ...env, PAYBELL_URL: nowhere });
    expect([away.code, away.stderr]).toEqual([
      3,
      expect.stringContaining(`does not answer at ${nowhere} (ECONNREFUSED)`),
    ]);
    const none = await runCli(['payments', 'list'], { PAYBELL_URL: app.url });
    expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/^PAYBELL_API_KEY is not set/)]);
    const typo = await runCli(['payments', 'list'], { PAYBELL_URL: 'pay.example' });
    expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining('PAYBELL_URL is not a URL')]);
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
  ] as const)('ends at %s with %d', async (signal, status) => {
    const silent = await HttpReceiver.start(() => 'hang');
    const cli = new CliProcess(['payments', 'list'], { ...env, PAYBELL_URL: silent.url });
    await waitFor(() => silent.requests.length > 0);
    expect(await cli.stop(signal)).toEqual({ code: status, stdout: '', stderr: 'It was stopped.\n' });
    await silent.close();
  });

  it('makes no payment of a story at a real provider', async () => {
    const before = await stage.countPayments();
    const { code, stderr } = await runCli(['trigger', 'plain'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has a real provider')]);
    expect(await stage.countPayments()).toBe(before);
  });

  it('finds another program at PAYBELL_URL', async () => {
    const other = await runCli(['payments', 'list'], { ...env, PAYBELL_URL: stage.shop.url });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('is PAYBELL_URL right?');
  });
});
