import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Answers every request with these bytes, and goes on with the last of them for ever where that is asked for. */
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

/** A provider on loopback in a thread of its own, so that what it costs to send is not taken for what it costs to read. */
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

/** How long the event loop stood still at most while `work` ran; the least of three, as other tests take time too. */
export async function stallMsOf(work: () => Promise<unknown>): Promise<number> {
  const stalls: number[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) stalls.push(await longestStallMs(work));
  return Math.min(...stalls);
}

async function longestStallMs(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await work();
  // What held up the loop is noted with the next turn of it.
  await sleep(20);
  delay.disable();
  return delay.max / 1e6;
}
