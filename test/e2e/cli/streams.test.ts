import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { SharedService } from '../../support/shared-process.ts';
import { asking, CliProcess, runCli } from '../../support/cli.ts';
import { Stage } from '../../support/stage.ts';
import { SANDBOX } from '../../support/suites/sandbox-stories.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

let stage: Stage;
let app: SharedService;
let env: Record<string, string>;

const PLAIN = ['payment.created', 'payment.deposit_received', 'payment.executing', 'payment.completed'];

/** Node options with which the memory of the command is cleared all the time, as it is now and then in hours. */
const CLEARING = `--import=data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  setInterval(runInNewContext('gc'), 50).unref();
`)}`;

interface Printed {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly quoteId: string; readonly sequence: number };
}

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50' });
  env = asking(app);
});

function eventsIn({ lines }: CliProcess): Printed[] {
  return lines.map((line) => JSON.parse(line) as Printed);
}

/** Plays the plain story of a payment to its end. */
async function playPlain(): Promise<string> {
  const { stdout } = await runCli(['trigger', 'plain', '--json'], env);
  const { quoteId } = JSON.parse(stdout) as { quoteId: string };
  await waitFor(async () => (await stage.at([quoteId], 'COMPLETED')).length === 1);
  return quoteId;
}

/** Follows the stream once connected, so that it prints all later events. */
async function tail(words: readonly string[] = [], count = 0, more = {}): Promise<CliProcess> {
  // The service may not have noticed yet that a former command ended.
  await waitFor(async () => (await streamsOf()) === 0);
  const cli = new CliProcess(['events', 'tail', '--json', ...words], { ...env, ...more });
  await waitFor(async () => (await streamsOf()) > 0 || cli.lines.length > count);
  return cli;
}

async function streamsOf(): Promise<number> {
  const metrics = await (await app.fetch('/metrics')).text();
  return Number(/^paybell_streams (\d+)$/m.exec(metrics)?.[1]);
}

describe('paybell events tail', () => {
  it('prints each event as it happens, and ends with 0 at Ctrl-C', async () => {
    const cli = await tail();
    const quoteId = await playPlain();
    await waitFor(() => cli.lines.length === 4);
    const { code, stderr } = await cli.stop('SIGINT');
    expect(eventsIn(cli).map(({ type, data }) => [type, data.quoteId])).toEqual(
      PLAIN.map((type) => [type, quoteId]),
    );
    expect([code, stderr]).toEqual([
      0,
      `To go on: paybell events tail --after ${eventsIn(cli).at(-1)?.id}\n`,
    ]);
  });

  it('ends at Ctrl-C after the garbage of its request has been collected', async () => {
    const cli = await tail([], 0, { NODE_OPTIONS: CLEARING });
    await playPlain();
    await waitFor(() => cli.lines.length === 4);
    expect((await cli.stop('SIGINT')).code).toBe(0);
  });

  it('filters, and prints a line for people', async () => {
    const cli = new CliProcess(
      ['events', 'tail', '--type', 'payment.completed', 'payment.failed', '--count', '1'],
      env,
    );
    await waitFor(async () => (await streamsOf()) > 0);
    const quoteId = await playPlain();
    const { code, stdout } = await cli.whenEnded();
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^\\S+Z {2}payment\\.completed +${quoteId} {2}#4 {2}COMPLETED\n$`));
    const one = await runCli(['events', 'tail', '--quote-id', quoteId, '--count', '4', '--json'], env);
    expect(
      one.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Printed).type),
    ).toEqual(PLAIN);
  });

  it('loses nothing and repeats nothing, whether the command or Paybell ends in between', async () => {
    const place = join(mkdtempSync(join(tmpdir(), 'paybell-cli-')), 'place');
    const quoteIds: string[] = [];
    const first = await tail(['--resume', place]);
    quoteIds.push(await playPlain());
    await waitFor(() => first.lines.length === 4);
    expect((await first.stop('SIGINT')).code).toBe(0);
    expect(readFileSync(place, 'utf8').trim()).toBe(eventsIn(first).at(-1)?.id);
    quoteIds.push(await playPlain());

    const second = await tail(['--resume', place], 3);
    await waitFor(() => second.lines.length >= 4);
    await app.stop();
    await second.whenPrinted(/The stream broke off: connecting again/);
    app = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50', PORT: String(app.port) });
    quoteIds.push(await playPlain());
    await waitFor(() => second.lines.length >= 8);
    expect((await second.stop('SIGTERM')).code).toBe(0);
    const events = [first, second].flatMap(eventsIn);
    expect(events.map(({ type, data }) => `${data.quoteId} ${type}`)).toEqual(
      quoteIds.flatMap((quoteId) => PLAIN.map((type) => `${quoteId} ${type}`)),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('resumes from its start when it is cut off before its first event', async () => {
    const cli = await tail();
    await app.stop();
    await cli.whenPrinted(/The stream broke off/);
    const [fresh, quoteId] = await (async () => {
      const started = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50' });
      env = asking(started);
      const played = await playPlain();
      await started.stop();
      return [started, played];
    })();
    expect(fresh.isRunning).toBe(false);
    app = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50', PORT: String(app.port) });
    env = asking(app);
    await waitFor(() => cli.lines.length === 4);
    expect(new Set(eventsIn(cli).map(({ data }) => data.quoteId))).toEqual(new Set([quoteId]));
    expect((await cli.stop('SIGINT')).code).toBe(0);
  });

  it('refuses a place that the log does not know, and a Paybell that is not there', async () => {
    const unknown = await runCli(['events', 'tail', '--after', 'f8c3de3d-1fea-4d7c-a8b0-29f63c4c3454'], env);
    expect([unknown.code, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toMatch(/\(400 invalid_cursor\)[^]*\n {2}after: /);
    const away = await runCli(['events', 'tail'], { ...env, PAYBELL_URL: 'http://127.0.0.1:1' });
    expect(away.code).toBe(3);
  });
});

describe('paybell listen', () => {
  it("forwards events as signed webhooks with a secret of its own, in a payment's order, until Ctrl-C", async () => {
    const shop = await HttpReceiver.start();
    shop.answer(({ json }) => ({ status: (json as Printed).data.sequence === 2 ? 500 : 200 }));
    const before = await streamsOf();
    const cli = new CliProcess(['listen', '--forward', `${shop.url}/hook?a=1`], env);
    await waitFor(async () => (await streamsOf()) > before);
    const secret = /whsec_\S+/.exec(cli.stdout)?.[0] ?? '';
    const quoteId = await playPlain();
    await waitFor(() => cli.lines.length === 6);
    const { code, stderr } = await cli.stop('SIGINT');
    expect([code, stderr]).toEqual([0, '']);
    const webhook = new Webhook(secret);
    const verified = shop.requests.map(
      ({ text, headers }) => webhook.verify(text, headers as Record<string, string>) as Printed,
    );
    expect(verified.map(({ type, data }) => [type, data.quoteId])).toEqual(
      PLAIN.map((type) => [type, quoteId]),
    );
    expect(shop.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hook?a=1',
      headers: {
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^Paybell\/\d/),
        'webhook-id': verified[0]?.id,
      },
    });
    expect(cli.lines[3]).toMatch(
      new RegExp(`payment\\.deposit_received {2}${quoteId} {2}#2 {2}500 {2}\\d+ ms$`),
    );
    expect(() =>
      new Webhook(secret).verify(
        `${shop.requests[0]?.text} `,
        shop.requests[0]?.headers as Record<string, string>,
      ),
    ).toThrow();
    await shop.close();
  });

  it('has another secret each time, says so as JSON, and tells what does not answer', async () => {
    const cli = new CliProcess(
      ['listen', '--forward', 'http://127.0.0.1:1/', '--json', '--type', 'payment.created'],
      env,
    );
    await cli.whenPrinted(/whsec_/);
    await waitFor(async () => (await streamsOf()) > 0);
    const quoteId = await playPlain();
    await waitFor(() => cli.lines.length >= 2);
    expect((await cli.stop('SIGTERM')).code).toBe(0);
    const [head, delivery] = cli.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(head).toEqual({ secret: expect.stringMatching(/^whsec_/), forward: 'http://127.0.0.1:1' });
    expect(delivery).toMatchObject({
      type: 'payment.created',
      delivered: false,
      httpStatus: null,
      failure: 'refused',
    });
    expect(quoteId).toMatch(/^[\da-f-]{36}$/);
    const { stdout } = await runCli(['listen', '--forward', 'ftp://x'], env);
    expect(stdout).toBe('');
  });
});

describe('paybell trigger', () => {
  it('follows the payment that it makes', async () => {
    const cli = new CliProcess(['trigger', 'fails', '--order-id', 'A-5', '--follow'], env);
    await cli.whenPrinted(/payment\.failed/);
    const { code, stdout } = await cli.stop('SIGINT');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^story +fails$/m);
    expect(stdout.match(/payment\.\w+/g)).toEqual([
      'payment.created',
      'payment.deposit_received',
      'payment.executing',
      'payment.failed',
    ]);
  });

  it('pays where the tester pays, and knows its stories', async () => {
    const unknown = await runCli(['trigger', 'magic'], env);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('Allowed choices are plain, fails,'),
    ]);
    const manual = await stage.startWarm({ ...SANDBOX, SANDBOX_SPEED: '50', SANDBOX_AUTOPAY: 'false' });
    const { code, stdout } = await runCli(['trigger', 'skips_ahead', '--deposit', '--json'], asking(manual));
    const { quoteId } = JSON.parse(stdout) as { quoteId: string };
    expect(code).toBe(0);
    await waitFor(async () => (await stage.at([quoteId], 'COMPLETED')).length === 1);
  });
});
