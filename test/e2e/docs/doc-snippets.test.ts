import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from '@jest/globals';

import { signedHeaders } from '../../../src/destinations/webhook/webhook-sender.ts';
import { readFields } from '../../../src/platform/http/read-fields.ts';
import { TrackBody } from '../../../src/features/payments/payments.dto.ts';
import { exampleEvent } from '../../../src/domain/event/example-event.ts';
import { testEvent } from '../../../src/domain/event/stamp-event.ts';
import { newSigningKey } from '../../../src/features/webhook-endpoints/new-signing-key.ts';
import { brokerUrl, describeWithBroker } from '../../support/broker.ts';
import { describeWith } from '../../support/describe-with.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { docsText, ended, endSnippets, isEnded, run, runWith, snippet } from '../../support/doc-snippet.ts';
import { HttpReceiver } from '../../../tools/testkit/http-receiver.ts';
import { PHP_AMQPLIB } from '../../../tools/testkit/machine-tools.js';
import { freePort } from '../../../tools/testkit/free-port.ts';
import { signatureCases } from '../../support/signature-cases.ts';
import { completionOf, eventOfPayment } from '../../support/paybell-events.ts';
import type { PaymentEvent } from '../../../packages/client/src/index.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { deliver, owed, Workbench } from '../../contract/rabbitmq-workbench.ts';

const EVENT_ID = '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d';
const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
/** An amount that a parser would round, and characters that an encoding could break. */
const BODY = `{"id":"${EVENT_ID}","type":"payment.completed","data":{"quoteId":"${QUOTE_ID}","orderId":"Ä-1 💶","sequence":4,"payment":{"amount":0.1000000000000000055}}}`;

afterEach(endSnippets);

async function post(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const all = { 'content-type': 'application/json', ...headers };
  return (await fetch(url, { method: 'POST', headers: all, body })).status;
}

const WEBHOOK_SNIPPETS = [
  ['docs/using/verifying-webhooks.md', 'webhook in Express', 'v1'],
  ['docs/using/verifying-webhooks.md', 'webhook with a public key', 'v1a'],
] as const;

describe.each(WEBHOOK_SNIPPETS)('the snippet of %s, %s', (document, name, signature) => {
  it('accepts what Paybell signed, and nothing else', async () => {
    const port = await freePort();
    const { secret, publicKey } = newSigningKey(signature);
    const receiver = run(await snippet(document, name), {
      PORT: String(port),
      ...(publicKey === null ? { WEBHOOK_SECRET: secret } : { WEBHOOK_PUBLIC_KEY: publicKey }),
    });
    const url = `http://127.0.0.1:${port}/webhooks/paybell`;
    await waitFor(async () => isEnded(receiver) || (await post(url, {}, BODY)) === 401, {
      what: 'the snippet to listen',
    });

    const headers = signedHeaders(EVENT_ID, BODY, [secret], new Date());
    expect(await post(url, headers, BODY)).toBe(204);
    await waitFor(() => receiver.output.includes('payment.completed Ä-1 💶 4'));

    const published = receiver.output;
    expect(await post(url, headers, BODY.replace('Ä-1', 'Ä-2'))).toBe(401);
    expect(await post(url, headers, JSON.stringify(JSON.parse(BODY)))).toBe(401);
    expect(await post(url, { ...headers, 'webhook-id': randomUUID() }, BODY)).toBe(401);
    const other = newSigningKey(signature).secret;
    expect(await post(url, signedHeaders(EVENT_ID, BODY, [other], new Date()), BODY)).toBe(401);
    const both = signedHeaders(EVENT_ID, BODY, [other, secret], new Date());
    expect(await post(url, both, BODY)).toBe(204);
    expect(
      await post(url, signedHeaders(EVENT_ID, BODY, [secret], new Date(Date.now() - 600_000)), BODY),
    ).toBe(401);
    expect(await post(url, headers, BODY)).toBe(204);
    expect(receiver.output.startsWith(published)).toBe(true);
    expect(receiver.output).not.toContain('Ä-2');
  });
});

describe('the snippet of docs/running/monitoring.md', () => {
  it('hands operational events to Slack and to the mail program', async () => {
    const port = await freePort();
    const slack = await HttpReceiver.start();
    const folder = await mkdtemp(join(tmpdir(), 'paybell-mail-'));
    const mail = join(folder, 'mail');
    await writeFile(join(folder, 'sendmail'), `#!/bin/sh\ncat > "${mail}"\n`, { mode: 0o755 });
    const { secret } = newSigningKey('v1');
    const code = await snippet('docs/running/monitoring.md', 'operational events to Slack and mail');
    const pager = run(code, {
      PORT: String(port),
      WEBHOOK_SECRET: secret,
      SLACK_URL: slack.url,
      MAIL_TO: 'on-call@shop.example',
      SENDMAIL: join(folder, 'sendmail'),
    });
    const url = `http://127.0.0.1:${port}`;
    await waitFor(async () => isEnded(pager) || (await post(url, {}, BODY)) === 401, {
      what: 'the snippet to listen',
    });
    const time = new Date();
    const body = exampleEvent('attention.opened', { id: EVENT_ID, source: 'paybell', time });
    expect(await post(url, signedHeaders(EVENT_ID, body, [secret], time), body)).toBe(204);
    const line =
      'BAD undelivered: An example: 2 payments have news that a destination was not told. 430.20 USDC /dashboard';
    expect(slack.requests.map(({ json }) => json)).toEqual([{ text: line }]);
    const mailed = (): Promise<string> => readFile(mail, 'utf8').catch(() => '');
    await waitFor(async () => (await mailed()).includes(line), { what: 'the mail' });
    expect(await mailed()).toMatch(/^To: on-call@shop\.example\nSubject: Paybell: undelivered\n\n/);
    expect(await post(url, signedHeaders(EVENT_ID, body, [newSigningKey('v1').secret], time), body)).toBe(
      401,
    );
    await slack.close();
    await rm(folder, { recursive: true });
  });
});

describe('the snippet of tools/relay-stand-in/README.md', () => {
  it('prints the settings of a stand-in that answers', async () => {
    const standIn = run(await snippet('tools/relay-stand-in/README.md', 'start the stand-in'), {});
    await waitFor(() => isEnded(standIn) || standIn.output.includes('\n'), { what: 'the stand-in to start' });
    const [, url = ''] =
      /^PROVIDER=relay RELAY_API_KEY=try-me RELAY_BASE_URL=(\S+)$/m.exec(standIn.output) ?? [];
    const answer = await fetch(`${url}/chains`, { headers: { 'x-api-key': 'try-me' } });
    expect(answer.status).toBe(200);
  });
});

/**
 * The verification in each language, by its library, with an acknowledgement and a refusal. These snippets run by hand, since
 * the libraries are missing here.
 */
const OTHER_LANGUAGES = [
  ['Python', 'python', ['webhook.verify(body', 'answer(204)', 'answer(401)']],
  ['PHP', 'php', ['$webhook->verify(', 'http_response_code(204)', 'http_response_code(401)']],
  ['Ruby', 'ruby', ['webhook.verify(', '[204,', '[401,']],
  ['Go', 'go', ['webhook.Verify(body', 'http.StatusNoContent', 'http.StatusUnauthorized']],
  ['Java', 'java', ['webhook.verify(body', 'status = 204', 'status = 401']],
] as const;

describe('docs/using/verifying-webhooks.md', () => {
  it('has receivers in other languages that verify, acknowledge and refuse', async () => {
    for (const [name, language, parts] of OTHER_LANGUAGES) {
      const code = await snippet('docs/using/verifying-webhooks.md', `webhook in ${name}`, language);
      for (const part of ['WEBHOOK_SECRET', ...parts])
        expect([name, code]).toEqual([name, expect.stringContaining(part)]);
    }
  });
});

/** A program that reads requests as lines, and prints for each request whether it is genuine. */
const JAVA_MAIN = `class Main {
  public static void main(String[] args) throws Exception {
    for (String line : new String(System.in.readAllBytes()).split("\\n")) {
      String[] part = line.split("\\t", -1);
      byte[] body = Base64.getDecoder().decode(part[3]);
      System.out.println(PaybellWebhook.isGenuine(part[0], part[1], part[2], body, System.getenv("WEBHOOK_SECRET")));
    }
  }
}
`;
const RUBY_MAIN = `$stdin.each_line(chomp: true) do |line|
  id, timestamp, signatures, body = line.split("\\t", -1)
  puts genuine?(id, timestamp, signatures, body.unpack1('m'), ENV.fetch('WEBHOOK_SECRET'))
end
`;

const BY_HAND = [
  ['java', 'Java', 'Main.java', (code: string) => code.replace('class PaybellWebhook', `${JAVA_MAIN}\n$&`)],
  ['ruby', 'Ruby', 'main.rb', (code: string) => `${code}\n${RUBY_MAIN}`],
] as const;

for (const [tool, name, file, withMain] of BY_HAND)
  describeWith(tool, `docs/using/verifying-webhooks.md, by hand in ${name},`, (program) => {
    it('accepts what Paybell signed, and nothing else', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'paybell-by-hand-'));
      const code = await snippet('docs/using/verifying-webhooks.md', `by hand in ${name}`, tool);
      await writeFile(join(folder, file), withMain(code));
      const { secret } = newSigningKey('v1');
      const cases = signatureCases(secret);
      const lines = cases.map(({ headers, body }) => {
        const words = ['id', 'timestamp', 'signature'].map((header) => headers[`webhook-${header}`] ?? '');
        return [...words, Buffer.from(body).toString('base64')].join('\t');
      });
      const printed = execFileSync(program, [join(folder, file)], {
        input: lines.join('\n'),
        env: { ...process.env, WEBHOOK_SECRET: secret },
        encoding: 'utf8',
      });
      await rm(folder, { recursive: true });
      const told = printed.trim().split('\n');
      expect(cases.map((each, index) => [each.name, told[index]])).toEqual(
        cases.map((each) => [each.name, String(each.isGenuine)]),
      );
    });
  });

describe('docs/using/events.md', () => {
  it('shows how a library of CloudEvents reads the body of a webhook', async () => {
    const code = await snippet('docs/using/events.md', 'CloudEvent in Node');
    const data = { quoteId: QUOTE_ID, sequence: 4 };
    const event = testEvent({ id: EVENT_ID, source: 'paybell', time: new Date() }, QUOTE_ID);
    const body = JSON.stringify({ ...(JSON.parse(event) as object), data });
    const reader = run(
      `${code}\nconst { type, data } = cloudEventOf(process.env.BODY); console.log(type, data);`,
      {
        BODY: body,
      },
    );
    await waitFor(() => reader.output.includes('}'));
    expect(reader.output).toContain(`webhook.test { quoteId: '${QUOTE_ID}', sequence: 4 }`);
  });
});

const NODE = [process.execPath, '--input-type=module', '--eval'] as const;

describeWithBroker('The RabbitMQ snippets', () => {
  /** Starts a consumer with a queue and an exchange of its own, and publishes an event to it. */
  async function printsWhatIsPublished(
    command: readonly [string, ...string[]],
    [name, language]: readonly [string, string?],
    line: string,
  ): Promise<void> {
    const bench = await Workbench.open();
    const queue = `${bench.exchange}.shop`;
    try {
      const rabbitmq = await bench.ready();
      // Declares the queue first: a check for a missing queue would end the channel before the snippet has declared it.
      await bench.channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
      const code = (await snippet('docs/using/rabbitmq.md', name, language))
        .replaceAll(/(['"])payments\1/g, `$1${bench.exchange}$1`)
        .replaceAll(/(['"])(?:shop|orders)\1/g, `$1${queue}$1`)
        .replace('<?php', '')
        .replace(/(?<=require )[^;]*autoload\.php'/, `'${PHP_AMQPLIB}'`);
      const consumer = runWith(command, code, { RABBITMQ_URL: brokerUrl(), LANG: 'C.UTF-8' });
      const isConsumed = async (): Promise<boolean> =>
        (await bench.channel.checkQueue(queue)).consumerCount === 1;
      await waitFor(() => isEnded(consumer) || isConsumed(), { what: 'a consumer' });
      const event = owed({ eventId: EVENT_ID, body: BODY });
      expect(await deliver(rabbitmq, event)).toEqual({ kind: 'delivered', httpStatus: null, isRouted: true });
      await waitFor(() => consumer.output.includes(line), { what: 'the event' });
      await waitFor(async () => (await bench.channel.checkQueue(queue)).messageCount === 0);
      expect(bench.meter.unroutableEvents).toBe(0);
    } finally {
      await bench.channel.deleteQueue(queue);
      await bench.close();
    }
  }

  it('in Node prints what is published', () =>
    printsWhatIsPublished(NODE, ['consumer in detail'], `${EVENT_ID} payment.completed A-1001 4`));

  describeWith('pika', 'in Python', (python) => {
    it('prints what is published', () =>
      printsWhatIsPublished([python, '-uc'], ['consumer in Python', 'python'], 'payment.completed Ä-1 💶 4'));
  });

  describeWith('php-amqplib', 'in PHP', (php) => {
    it('prints what is published', () =>
      printsWhatIsPublished([php, '-r'], ['consumer in PHP', 'php'], 'payment.completed Ä-1 💶 4'));
  });

  it('of docs/using/rabbitmq.md, track by message, hands its quote over', async () => {
    const bench = await Workbench.open();
    const queue = bench.queueName('track');
    try {
      const code = (await snippet('docs/using/rabbitmq.md', 'track by message')).replaceAll(
        'paybell-track',
        queue,
      );
      const producer = run(code, { RABBITMQ_URL: brokerUrl(), QUOTE_ID });
      await waitFor(() => producer.process.exitCode !== null, { what: 'the snippet to end' });
      expect(producer.output).toBe('');
      const messages = await bench.consume(queue);
      const message = await waitFor(() => messages[0]);
      expect(message.properties).toMatchObject({ contentType: 'application/json', deliveryMode: 2 });
      const body: unknown = JSON.parse(message.content.toString());
      expect(readFields(TrackBody, body)).toEqual(body);
      expect(body).toMatchObject({ quoteId: QUOTE_ID });
    } finally {
      await bench.close();
    }
  });
});

/** The parts that the snippets of docs/using/client.md leave to the reader. */
const CLIENT_EVENT = { ...eventOfPayment(QUOTE_ID, 1), type: 'payment.completed' };
const CLIENT_BODY = JSON.stringify({ ...CLIENT_EVENT, data: { ...CLIENT_EVENT.data, orderId: 'A-1001' } });

describe('docs/using/client.md', () => {
  it('shows how a webhook is verified, and what comes of one that is forged', async () => {
    const code = await snippet('docs/using/client.md', 'client verifies a webhook');
    const { secret } = newSigningKey('v1');
    const headers = signedHeaders(CLIENT_EVENT.id, CLIENT_BODY, [secret], new Date());
    const given = `const rawBody = process.env.BODY; const request = { headers: JSON.parse(process.env.HEADERS) };
      process.on('uncaughtException', (error) => console.log(error instanceof InvalidWebhook, error.code));`;
    const published = async (BODY: string): Promise<string> => {
      const env = { BODY, HEADERS: JSON.stringify(headers), WEBHOOK_SECRET: secret };
      return ended(run(`${given}\n${code}\nconsole.log(event.type, event.data.orderId);`, env));
    };
    expect(await published(CLIENT_BODY)).toBe('payment.completed A-1001\n');
    expect(await published(CLIENT_BODY.replace('A-1001', 'A-1002'))).toBe('true wrong_signature\n');
  });

  it('shows how a message is read, and what comes of one that is no event', async () => {
    const code = await snippet('docs/using/client.md', 'client reads a message');
    const given = `const message = { content: Buffer.from(process.env.BODY), properties: JSON.parse(process.env.PROPERTIES) };
      process.on('uncaughtException', (error) => console.log(error instanceof UnreadableEvent, error.code));`;
    const published = (messageId: string): Promise<string> => {
      const PROPERTIES = JSON.stringify({ messageId, type: 'payment.completed' });
      return ended(run(`${given}\n${code}\nconsole.log(event.id);`, { BODY: CLIENT_BODY, PROPERTIES }));
    };
    expect(await published(CLIENT_EVENT.id)).toBe(`${CLIENT_EVENT.id}\n`);
    expect(await published(EVENT_ID)).toBe('true unreadable_event\n');
  });

  it('shows an inbox that handles an event once, and forgets it half a year later', async () => {
    const database = await createEmptyDatabase();
    try {
      await database.query(
        'CREATE TABLE orders (id text PRIMARY KEY, fulfilled_at timestamptz, cancelled_at timestamptz)',
      );
      await database.query(`INSERT INTO orders (id) VALUES ('A-1001'), ('A-1002')`);
      const code = await snippet('docs/using/client.md', 'client inbox');
      const pruning = await snippet('docs/using/client.md', 'prune the inbox');
      const published = (): Promise<string> => {
        const script = `const event = JSON.parse(process.env.BODY);\n${code}\n${pruning}
          console.log(outcome, forgotten); process.exit();`;
        return ended(run(script, { BODY: CLIENT_BODY, DATABASE_URL: database.url }));
      };
      const fulfilled = (): Promise<{ id: string; fulfilled_at: Date }[]> =>
        database.query('SELECT id, fulfilled_at FROM orders WHERE fulfilled_at IS NOT NULL');
      expect(await published()).toBe('handled 0\n');
      const once = await fulfilled();
      expect(once.map(({ id }) => id)).toEqual(['A-1001']);
      expect(await published()).toBe('duplicate 0\n');
      expect(await fulfilled()).toEqual(once);
      await database.query(`UPDATE paybell_inbox SET at = now() - interval '181 days'`);
      expect(await published()).toBe('duplicate 1\n');
    } finally {
      await database.drop();
    }
  });
});

describe('packages/client/README.md', () => {
  it('shows a shop that fulfils in the middle of a stream, and names what a person must see to', async () => {
    const database = await createEmptyDatabase();
    try {
      await database.query(
        'CREATE TABLE orders (id text PRIMARY KEY, fulfilled_at timestamptz, cancelled_at timestamptz)',
      );
      await database.query(
        `INSERT INTO orders VALUES ('A-1', NULL, NULL), ('A-2', NULL, NULL), ('A-3', NULL, now())`,
      );
      const [port, { secret }] = [await freePort(), newSigningKey('v1')];
      const [, program = ''] = (await docsText('packages/client/README.md')).split('```js\n');
      const env = { DATABASE_URL: database.url, WEBHOOK_SECRET: secret, PORT: String(port) };
      const shop = run(program.split('\n```')[0] ?? '', env);
      await waitFor(() => isEnded(shop) || shop.output.includes('the shop listens'), { what: 'the shop' });
      const take = async (event: PaymentEvent, orderId: string, more: object = {}): Promise<void> => {
        const body = JSON.stringify({ ...event, data: { ...event.data, orderId, ...more } });
        const headers = signedHeaders(event.id, body, [secret], new Date());
        expect(await post(`http://127.0.0.1:${port}/`, headers, body)).toBe(204);
      };
      await take(eventOfPayment('quote-1', 3), 'A-1');
      await take(completionOf('quote-1', 5), 'A-1');
      await take(completionOf('quote-2', 3), 'A-2', { amounts: { match: 'underpaid' } });
      await take(completionOf('quote-3', 3), 'A-3');
      await take(completionOf('quote-4', 1), 'EXAMPLE');
      const said = shop.output.split('\n').filter((line) => line.startsWith('For a person'));
      expect(said).toEqual([
        'For a person: payment quote-2 of order A-2: ask, underpaid',
        'For a person: payment quote-3 of order A-3: fulfil, paid_unknown_sum',
        'For a person: payment quote-4 of order EXAMPLE: fulfil, paid_unknown_sum',
      ]);
      expect(shop.output).toContain('paybell-client holds payment.updated');
      const fulfilled = await database.query('SELECT id FROM orders WHERE fulfilled_at IS NOT NULL');
      expect(fulfilled).toEqual([{ id: 'A-1' }]);
    } finally {
      await endSnippets();
      await database.drop();
    }
  });
});
