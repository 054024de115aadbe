import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { signedHeaders } from '../../../src/destinations/webhook/signature.ts';
import { newSigningKey } from '../../../src/features/webhook-endpoints/new-signing-key.ts';
import { brokerUrl, describeWithBroker } from '../../support/broker.ts';
import { snippet } from '../../support/doc-snippet.ts';
import { describeWith } from '../../support/describe-with.ts';
import { PHP_AMQPLIB } from '../../../tools/testkit/machine-tools.js';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { deliver, owed, Workbench } from '../../contract/rabbitmq-workbench.ts';

type Headers = Record<string, string>;

const EVENT_ID = '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d';
const BODY = `{"id":"${EVENT_ID}","type":"payment.completed","data":{"orderId":"Ä-1 💶","sequence":4,"payment":{"amount":0.1000000000000000055}}}`;

/** What a receiver must accept or refuse, each signed now. */
function cases(): { name: string; headers: Headers; body: string; secret: string; isGenuine: boolean }[] {
  const { secret } = newSigningKey('v1');
  const other = newSigningKey('v1').secret;
  const signed = (secrets: string[], at = Date.now()): Headers =>
    signedHeaders(EVENT_ID, BODY, secrets, new Date(at));
  const headers = signed([secret]);
  const signature = headers['webhook-signature'] ?? '';
  const signedAs = (value: string): Headers => ({ ...headers, 'webhook-signature': value });
  const refused: [name: string, headers: Headers, body?: string][] = [
    ['a changed body', headers, BODY.replace('Ä-1', 'Ä-2')],
    ['a body that was printed anew', headers, JSON.stringify(JSON.parse(BODY))],
    ['another id', { ...headers, 'webhook-id': randomUUID() }],
    ['another secret', signed([other])],
    ['ten minutes ago', signed([secret], Date.now() - 600_000)],
    ['in ten minutes', signed([secret], Date.now() + 600_000)],
    ['no headers', {}],
    ['no signature', signedAs('')],
    ['a signature without its version', signedAs(signature.slice(3))],
    ['a signature of another version', signedAs(signature.replace('v1,', 'v1a,'))],
    ['a signature that is cut off', signedAs(signature.slice(0, -4))],
    ['an empty signature', signedAs('v1,')],
    ['signatures with commas between', signedAs(`v1,abc,${signature}`)],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'now' }],
    ['a time of many digits', { ...headers, 'webhook-timestamp': '9'.repeat(5_000) }],
    ['a time with a line end', { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}\n` }],
  ];
  const accepted: [name: string, headers: Headers, body?: string][] = [
    ['signed with the secret', headers],
    ['signed with two secrets', signed([other, secret])],
    ['with signatures of other versions beside', signedAs(`v1a,abc v2,xyz ${signature}`)],
    ['a minute ago', signed([secret], Date.now() - 60_000)],
  ];
  return [...accepted, ...refused].map(([name, sent, body = BODY], index) => ({
    name,
    headers: Object.fromEntries(Object.entries(sent).filter(([key]) => key.startsWith('webhook-'))),
    body,
    secret,
    isGenuine: index < accepted.length,
  }));
}

const IN_PYTHON = `
import json, sys
for each in json.load(sys.stdin):
    print(each["name"], is_genuine(each["headers"], each["body"].encode(), each["secret"]))
`;
const IN_PHP = `
foreach (json_decode(file_get_contents('php://stdin'), true) as $each)
    echo $each['name'], ' ', isGenuine($each['headers'], $each['body'], $each['secret']) ? 'True' : 'False', "\\n";
`;

function judged(program: string, args: string[], input: unknown): string[] {
  const { stdout, stderr } = spawnSync(program, args, { input: JSON.stringify(input), encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

const DOCUMENT = 'docs/using/verifying-webhooks.md';
const rightOf = (all: ReturnType<typeof cases>): string[] =>
  all.map(({ name, isGenuine }) => `${name} ${isGenuine ? 'True' : 'False'}`);

describeWith('python', 'Verifying by hand in Python', (python) => {
  it('accepts what Paybell signed, and nothing else', async () => {
    const all = cases();
    const code = `${await snippet(DOCUMENT, 'by hand in Python', 'python')}\n${IN_PYTHON}`;
    expect(judged(python, ['-c', code], all)).toEqual(rightOf(all));
  });
});

describeWith('php', 'Verifying by hand in PHP', (php) => {
  it('accepts what Paybell signed, and nothing else', async () => {
    const all = cases();
    const code = `${await snippet(DOCUMENT, 'by hand in PHP', 'php')}\n${IN_PHP}`.replace('<?php', '');
    expect(judged(php, ['-r', code], all)).toEqual(rightOf(all));
  });
});

describeWithBroker('A consumer of docs/using/rabbitmq.md', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paybell-consumer-'));
  });

  afterEach(async () => {
    const running = child;
    child = undefined;
    if (running?.exitCode === null) {
      const ended = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true });
  });

  /** Saves the code, starts it, and publishes an event once it consumes. */
  async function printsWhatIsPublished(program: string, code: string, file: string): Promise<void> {
    const bench = await Workbench.open();
    const queue = `${bench.exchange}.shop`;
    const quotes = /(['"])(shop|payments)\1/g;
    const own = code.replace(quotes, (_all, mark: string, name: string) =>
      name === 'shop' ? `${mark}${queue}${mark}` : `${mark}${bench.exchange}${mark}`,
    );
    try {
      const rabbitmq = await bench.ready();
      await bench.channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
      await writeFile(join(folder, file), own);
      let output = '';
      child = spawn(program, [file], {
        cwd: folder,
        env: { PATH: process.env['PATH'], RABBITMQ_URL: brokerUrl(), LANG: 'C.UTF-8' },
      });
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
      const isConsumed = async (): Promise<boolean> => {
        if (child?.exitCode !== null) throw new Error(`the snippet ended: ${output}`);
        return (await bench.channel.checkQueue(queue)).consumerCount === 1;
      };
      await waitFor(isConsumed, { what: 'a consumer' });
      expect(await deliver(rabbitmq, owed({ eventId: EVENT_ID, body: BODY }))).toEqual({
        kind: 'delivered',
        httpStatus: null,
        isRouted: true,
      });
      await waitFor(() => output.includes('payment.completed Ä-1 💶 4'), { what: 'the event' });
      await waitFor(async () => (await bench.channel.checkQueue(queue)).messageCount === 0);
    } finally {
      await bench.channel.deleteQueue(queue);
      await bench.close();
    }
  }

  describeWith('pika', 'in Python', (python) => {
    it('prints what is published', async () => {
      const code = await snippet('docs/using/rabbitmq.md', 'consumer in Python', 'python');
      await printsWhatIsPublished(python, code, 'subscriber.py');
    });
  });

  describeWith('php-amqplib', 'in PHP', (php) => {
    it('prints what is published', async () => {
      await mkdir(join(folder, 'vendor'));
      await writeFile(join(folder, 'vendor/autoload.php'), `<?php require '${PHP_AMQPLIB}';`);
      const code = await snippet('docs/using/rabbitmq.md', 'consumer in PHP', 'php');
      await printsWhatIsPublished(php, code, 'subscriber.php');
    });
  });
});

describe('The receivers by hand', () => {
  it('compare in constant time', async () => {
    expect(await snippet(DOCUMENT, 'by hand in Python', 'python')).toContain('hmac.compare_digest(');
    expect(await snippet(DOCUMENT, 'by hand in PHP', 'php')).toContain('hash_equals(');
  });
});
