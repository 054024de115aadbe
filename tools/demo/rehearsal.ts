import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';

import { Audit } from './audit.ts';
import { Board } from './board.ts';
import { Ledger } from './ledger.ts';
import { PaybellClient } from './paybell-client.ts';
import { freePort, PaybellProcess } from './paybell-process.ts';
import { LiveScreen, PlainScreen, type Screen } from './screen.ts';
import { settingsFor } from './settings.ts';
import { Shop } from './shop.ts';
import { STORIES } from './stories.ts';
import { Subscriber } from './subscriber.ts';
import { sumUp } from './summary.ts';
import type { Cleanup } from './cleanup.ts';

const POLL_MS = 250;
const BOARD_ROWS = 2 + 2 * STORIES.length;
const LOG_LINES_SHOWN = 25;

/** Somebody stopped the demo. */
export class Interrupted extends Error {}

/** The whole demo: a Paybell, a shop, a subscriber and six payments; asks until everything that had to arrive arrived. */
export class Rehearsal {
  private readonly ledger = new Ledger();
  private readonly audit = new Audit(this.ledger);
  private paybell: PaybellProcess | null = null;
  private isReady = false;
  private hasCrashed = false;
  private screen: Screen = new PlainScreen();
  private shop: Shop | null = null;

  constructor(
    private readonly name: string,
    private readonly cleanup: Cleanup,
    private readonly signal: AbortSignal,
  ) {}

  /** Plays all stories to their end; throws when it can't. */
  async play(): Promise<void> {
    const subscriber = await this.openSubscriber();
    const board = new Board(this.ledger, subscriber !== null);
    const shop = new Shop(
      (event) => this.ledger.enter('webhooks', event),
      (receipt, event) => this.screen.line(board.webhook(receipt, event)),
    );
    this.shop = shop;
    const shopUrl = await shop.open();
    this.cleanup.add(() => shop.close());
    const client = await this.startPaybell(subscriber);
    await subscriber?.listen((event) => {
      if (this.ledger.enter('messages', event)) this.screen.line(board.message(event));
    });
    shop.trust(await client.createEndpoint(shopUrl));
    this.raiseCurtain(board);
    for (const story of STORIES) this.ledger.open(story, await client.createQuote(story));
    while (!this.audit.isComplete) {
      await this.pause();
      await this.audit.poll(client, subscriber !== null);
    }
  }

  /** Prints the end; answers whether everything went well. */
  close(failure: Error | null, undoProblems: readonly string[]): boolean {
    this.screen.end();
    const problems = [...undoProblems];
    if (failure !== null) problems.unshift(failure.message);
    if (this.shop !== null && this.shop.forged > 0)
      problems.push(`${this.shop.forged} webhooks had no valid signature`);
    // Who stops the show half-way knows what is missing.
    const results = failure instanceof Interrupted ? [] : this.audit.results;
    const lines = sumUp(results, problems);
    process.stdout.write(`${lines.join('\n')}\n`);
    const isPaybellAtFault = this.hasCrashed || (failure !== null && !this.isReady);
    const log = isPaybellAtFault ? (this.paybell?.log.slice(-LOG_LINES_SHOWN) ?? []) : [];
    if (log.length > 0) process.stdout.write(`\nThe last that Paybell said:\n  ${log.join('\n  ')}\n`);
    return problems.length === 0 && this.audit.isComplete;
  }

  /** The last resort of a process that ends in an unplanned way. */
  abandon(): void {
    this.screen.end();
    this.paybell?.kill();
  }

  private async openSubscriber(): Promise<Subscriber | null> {
    const subscriber = await Subscriber.open(this.name);
    if (subscriber !== null) this.cleanup.add(() => subscriber.close());
    const place =
      subscriber === null ? 'not reachable, shown without' : `${subscriber.place}, exchange ${this.name}`;
    this.say('Paybell demo: six payments at the sandbox provider, whose time runs 20 times as fast');
    this.say(`RabbitMQ: ${place}`);
    return subscriber;
  }

  private async startPaybell(subscriber: Subscriber | null): Promise<PaybellClient> {
    const home = await mkdtemp(join(tmpdir(), 'paybell-demo-'));
    this.cleanup.add(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    // As root, the embedded PostgreSQL runs as another user, who must get through to its folder.
    await chmod(home, 0o711);
    const port = await freePort();
    const key = randomBytes(24).toString('hex');
    const paybell = new PaybellProcess(settingsFor({ home, port, key, subscriber }));
    this.paybell = paybell;
    this.cleanup.add(() => this.stopPaybell(paybell));
    const client = new PaybellClient(`http://127.0.0.1:${port}`, key, this.signal);
    this.say(`Paybell: http://127.0.0.1:${port}, starting with an embedded PostgreSQL …`);
    while (!(await client.isReady())) await this.pause();
    this.isReady = true;
    return client;
  }

  private async stopPaybell(paybell: PaybellProcess): Promise<void> {
    const problem = await paybell.stop();
    // A crash is told already.
    if (problem !== null && !this.hasCrashed) throw new Error(problem);
  }

  private raiseCurtain(board: Board): void {
    this.say('');
    if (LiveScreen.fits(BOARD_ROWS)) this.screen = new LiveScreen(() => board.rows());
    this.screen.start();
  }

  private async pause(): Promise<void> {
    const ended = this.paybell?.ended ?? null;
    this.hasCrashed = ended !== null;
    if (this.hasCrashed) throw new Error(`Paybell ended with ${ended}`);
    await sleep(POLL_MS);
    this.signal.throwIfAborted();
  }

  private say(text: string): void {
    process.stdout.write(`${styleText('dim', text)}\n`);
  }
}
