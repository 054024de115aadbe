import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

import { makeDataFolder } from './data-folder.ts';
import { dieWithParent } from './die-with-parent.ts';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const START_MS = 30_000;
const CALL_MS = 20_000;
const KEPT_OUTPUT = 4_000;
const FLAGS = [
  '-regtest',
  '-server',
  '-rpcbind=127.0.0.1',
  '-rpcallowip=127.0.0.1',
  '-rpcuser=paybell',
  '-rpcworkqueue=256',
  '-txindex',
  '-listen=0',
  '-dnsseed=0',
  '-fallbackfee=0.001',
  // Without this option the node answers a replacement with success, and keeps the first transaction.
  '-mempoolreplacement=1',
  '-acceptnonstdtxn=1',
  // A thousand keys would take most of its start.
  '-keypool=5',
  // Their first block would need a transaction that leads into them.
  '-vbparams=mweb:4000000000:4000000001',
  '-dbcache=16',
  '-par=1',
  '-printtoconsole=0',
];
/** No decoded amount goes through a JavaScript number. */
const AMOUNT = /("(?:value|amount)":\s?)(-?\d+\.\d{8})/g;

/** A real node of a chain of outputs, Litecoin's in regtest. It mines and goes back when the caller says so. */
export class Litecoind {
  private output = '';

  private constructor(
    private readonly url: string,
    private readonly authorization: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => (this.output = `${this.output}${text}`.slice(-KEPT_OUTPUT)));
  }

  /** `path`: the program that machine-tools.js found. */
  static async start(path: string): Promise<Litecoind> {
    const folder = makeDataFolder();
    const port = await freePort();
    const password = randomBytes(16).toString('hex');
    const words = [`-datadir=${folder}`, `-rpcport=${port}`, `-rpcpassword=${password}`];
    const [program = path, ...rest] = [...dieWithParent('KILL'), path, ...FLAGS, ...words];
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const authorization = `Basic ${Buffer.from(`paybell:${password}`).toString('base64')}`;
    const node = new Litecoind(`http://127.0.0.1:${port}`, authorization, folder, child);
    try {
      await node.ready();
      return node;
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.isRunning()) {
      const ended = once(this.child, 'exit');
      // The node's folder is removed too, so that a clean stop is not needed.
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { authorization: this.authorization },
      body: JSON.stringify({ id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    const text = await response.text();
    if (!text.startsWith('{')) throw new Error(`${method}: status ${response.status} ${text}`);
    const { result, error } = JSON.parse(text.replaceAll(AMOUNT, '$1"$2"')) as {
      result: T;
      error: { code: number; message: string } | null;
    };
    if (error !== null) throw new RefusedCall(`${method}: ${error.message}`, error.code);
    return result;
  }

  /** Mines to an address that holds nothing else, so that no block is ever mined twice. Returns the hashes of the blocks. */
  async mine(blocks = 1): Promise<string[]> {
    return this.call('generatetoaddress', blocks, await this.call('getnewaddress'));
  }

  /** Mines one block with only these transactions, and leaves the others in the memory pool. */
  async mineOnly(...transactions: readonly string[]): Promise<string> {
    const address = await this.call<string>('getnewaddress');
    return (await this.call<{ hash: string }>('generateblock', address, transactions)).hash;
  }

  /** Mines blocks that have this time, or the time of the machine again. */
  async at(time: Date | null): Promise<void> {
    await this.call('setmocktime', time === null ? 0 : Math.floor(time.getTime() / 1_000));
  }

  /** Takes back the block and all later ones, whose transactions are in the memory pool again. */
  async takeBack(blockHash: string): Promise<void> {
    await this.call('invalidateblock', blockHash);
  }

  async head(): Promise<{ number: number; hash: string; at: Date }> {
    const hash = await this.call<string>('getbestblockhash');
    const { height, time } = await this.call<{ height: number; time: number }>('getblockheader', hash);
    return { number: height, hash, at: new Date(time * 1_000) };
  }

  private async ready(): Promise<void> {
    await waitFor(
      async () =>
        !this.isRunning() ||
        (await this.call<number>('getblockcount').then(
          () => true,
          () => false,
        )),
      { timeoutMs: START_MS, everyMs: 50, what: 'litecoind to answer' },
    );
    if (!this.isRunning()) throw new Error(`litecoind ended at start:\n${this.output}`);
  }

  private isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}

export class RefusedCall extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

/** `0.12345678` in the smallest units. */
export function satsOf(decimal: string): bigint {
  if (!/^\d+\.\d{8}$/.test(decimal)) throw new Error(`${decimal} is no amount of litecoind`);
  return BigInt(decimal.replace('.', ''));
}
