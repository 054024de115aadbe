import type { PaybellProcess } from '../testkit/paybell-process.ts';
import { waitFor } from '../testkit/wait-for.ts';
import type { Breach } from './ledger.ts';
import { sleep } from './readers.ts';
import type { Replica } from './replica.ts';

const READY_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 500;

/** The replicas of a run: started, asked in turn, killed, and started again. */
export class Replicas {
  /** Replicas that ended although no fault killed them. */
  readonly ended: Breach[] = [];
  private readonly killed = new Set<Replica>();
  private turn = 0;
  private guard: NodeJS.Timeout | null = null;

  constructor(readonly all: readonly Replica[]) {}

  /** Returns a running replica, a different one each time. */
  readonly next = (): PaybellProcess => {
    this.turn += 1;
    const running = this.all.filter(({ isRunning }) => isRunning);
    const among = running.length > 0 ? running : this.all;
    return (among[this.turn % among.length] as Replica).current;
  };

  get kills(): number {
    return this.all.reduce((sum, { kills }) => sum + kills, 0);
  }

  async start(): Promise<void> {
    for (const replica of this.all) replica.start();
    this.guard = setInterval(() => this.look(), LOOK_EVERY_MS);
    await this.ready();
  }

  async ready(): Promise<void> {
    await waitFor(async () => (await Promise.all(this.all.map((each) => each.isReady()))).every(Boolean), {
      timeoutMs: READY_WITHIN_MS,
      everyMs: 300,
      what: 'all replicas to be ready',
    });
  }

  /** Ends a replica like a crash; a new process replaces it after a while. */
  async kill(replica: Replica, downMs: number): Promise<void> {
    this.killed.add(replica);
    try {
      await replica.kill9();
      await sleep(downMs);
      replica.start();
    } finally {
      this.killed.delete(replica);
    }
  }

  /** The database answers at another port. */
  moveDatabase(port: number): void {
    for (const { links } of this.all) {
      links.database?.retarget(port);
      links.database?.resetAll();
    }
  }

  /** Stops the replicas like an operator; returns the ends other than with 0. */
  async close(): Promise<void> {
    if (this.guard !== null) clearInterval(this.guard);
    const endings = await Promise.all(this.all.map((replica) => replica.close()));
    for (const ending of endings.filter((each) => each !== 0 && each !== null))
      this.ended.push({ at: Date.now(), quoteId: null, text: `SIGTERM ended a replica with ${ending}` });
  }

  private look(): void {
    for (const [index, replica] of this.all.entries()) {
      if (replica.isRunning || this.killed.has(replica)) continue;
      this.ended.push({ at: Date.now(), quoteId: null, text: `replica ${index} ended by itself` });
      replica.start();
    }
  }
}
