import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Answers every request with these bytes; repeats the last of them for ever if a test wants that. */
const SERVER = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const { first, flood } = workerData;
  createServer((socket) => {
    socket.on('error', () => undefined);
    const pour = () => { while (!socket.destroyed && socket.write(flood)); };
    socket.on('data', () => {
      socket.write(first);
      if (flood === '') return;
      socket.on('drain', pour);
      pour();
    });
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

/** A provider on loopback in a thread of its own, so that the cost of sending does not count as the cost of reading. */
export class HostileProvider {
  private constructor(
    private readonly worker: Worker,
    readonly baseUrl: string,
  ) {}

  static async start(first: string, flood = ''): Promise<HostileProvider> {
    const worker = new Worker(SERVER, { eval: true, workerData: { first, flood } });
    const [port] = (await once(worker, 'message')) as [number];
    return new HostileProvider(worker, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

const TRIES = 3;
/** The first field of this file is the processor time of the calling thread, in nanoseconds. */
const THREAD_TIMES = '/proc/thread-self/schedstat';

/**
 * The longest processor time of the event loop between two turns while `work` ran; the least of three tries. The time of other
 * processes does not count, except where the system does not tell processor time.
 */
export async function stallMsOf(work: () => Promise<unknown>): Promise<number> {
  const stalls: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) stalls.push(await longestStallMs(work));
  return Math.min(...stalls);
}

async function longestStallMs(work: () => Promise<unknown>): Promise<number> {
  let last = threadMs();
  let longest = 0;
  let isOver = false;
  const turn = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  // A delay of the event loop is noted in its next turn.
  await sleep(20);
  return longest;
}

function threadMs(): number {
  if (!existsSync(THREAD_TIMES)) return performance.now();
  return Number(readFileSync(THREAD_TIMES, 'utf8').split(' ', 1)[0]) / 1e6;
}
