import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../../support/broker.ts';
import { snippet } from '../../support/doc-snippet.ts';
import { describeWith } from '../../support/describe-with.ts';
import { PHP_AMQPLIB } from '../../../tools/testkit/machine-tools.js';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { deliver, owed, Workbench } from '../../contract/rabbitmq-workbench.ts';

const EVENT_ID = '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d';
const BODY = `{"id":"${EVENT_ID}","type":"payment.completed","data":{"orderId":"Ä-1 💶","sequence":4,"payment":{"amount":0.1000000000000000055}}}`;

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
