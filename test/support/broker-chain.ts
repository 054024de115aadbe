import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

import { freePort } from '../../tools/testkit/free-port.ts';
import { PrivateBroker } from '../../tools/testkit/private-broker.ts';
import { TOOLS } from '../../tools/testkit/machine-tools.js';
import { acceptsAmqp } from './rabbitmq-lookup.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const run = promisify(execFile);

const LOCAL_URL = 'amqp://guest:guest@127.0.0.1:5672';
const DOCKER_IMAGE = 'rabbitmq:4';
const DOCKER_ANSWER_MS = 10_000;
const DOCKER_PULL_MS = 300_000;

/** A RabbitMQ for the run: its URL, or why there is none. `close` ends it if the run has started it. */
export interface BrokerForRun {
  readonly url: string | null;
  readonly reason: string;
  readonly close: () => void;
}

/** Tries a named broker, one on the usual port, a private one and Docker, in this order; takes the first that works. */
export async function findBroker(): Promise<BrokerForRun> {
  const given = process.env['TEST_RABBITMQ_URL'];
  if (given !== undefined && given !== '') return givenBroker(given);
  if (await acceptsAmqp(LOCAL_URL)) return running(LOCAL_URL);
  const failures: string[] = [];
  for (const way of [privateWay, dockerWay]) {
    try {
      const broker = await way();
      if (broker !== null) return broker;
    } catch (error) {
      failures.push(firstLine(error));
    }
  }
  const tried = failures.length === 0 ? '' : ` (tried: ${failures.join('; ')})`;
  const reason =
    `none on 127.0.0.1:5672, no rabbitmq-server that starts, no Docker${tried}. ` +
    'To test it: npm run test:tools -- rabbitmq, or set TEST_RABBITMQ_URL.';
  return { url: null, reason, close: () => undefined };
}

/** A broker that was named but does not answer is a mistake, never a reason to skip. */
async function givenBroker(url: string): Promise<BrokerForRun> {
  if (await acceptsAmqp(url)) return running(url);
  throw new Error(`TEST_RABBITMQ_URL names ${new URL(url).host}, where no RabbitMQ accepts the connection`);
}

function running(url: string): BrokerForRun {
  return { url, reason: '', close: () => undefined };
}

async function privateWay(): Promise<BrokerForRun | null> {
  if (TOOLS.rabbitmq.find() === null) return null;
  const broker = await PrivateBroker.start();
  return { url: broker.url, reason: '', close: () => broker.destroy() };
}

async function dockerWay(): Promise<BrokerForRun | null> {
  const docker = spawnSync('docker', ['info'], { timeout: DOCKER_ANSWER_MS, stdio: 'ignore' });
  if (docker.status !== 0) return null;
  process.stderr.write(`No RabbitMQ for the tests: starting ${DOCKER_IMAGE} with Docker …\n`);
  const port = await freePort();
  const started = await run(
    'docker',
    ['run', '--detach', '--rm', '--publish', `127.0.0.1:${port}:5672`, DOCKER_IMAGE],
    { timeout: DOCKER_PULL_MS },
  );
  const container = started.stdout.trim();
  const close = (): void => void execFileSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  try {
    await waitFor(() => acceptsAmqp(url), { timeoutMs: 90_000, everyMs: 300, what: 'RabbitMQ in Docker' });
    return { url, reason: '', close };
  } catch (error) {
    close();
    throw error;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
