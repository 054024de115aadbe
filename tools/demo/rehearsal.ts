import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';

import { freePort } from '../testkit/free-port.ts';
import { type Ending, PaybellProcess } from '../testkit/paybell-process.ts';
import { Audit } from './audit.ts';
import { Board } from './board.ts';
import { Ledger } from './ledger.ts';
import { messagesOf } from './log-messages.ts';
import { PaybellClient, type Quote } from './paybell-client.ts';
import { LiveScreen, PlainScreen, SilentScreen, type Screen } from './screen.ts';
import type { Play } from './play.ts';
import { settingsFor } from './settings.ts';
import { Shop } from './shop.ts';
import type { Story } from './stories.ts';
import { Subscriber } from './subscriber.ts';
import { sumUp } from './summary.ts';
import type { Cleanup } from '../testkit/cleanup.ts';

const POLL_MS = 250;
const LOG_LINES_SHOWN = 25;
/** Paybell itself stops within 10 s of SIGTERM. */
const STOP_WITHIN_MS = 10_000;

/** A Paybell with one provider does not name it in a quote: the plain demo has the sandbox. */
const ONLY_PROVIDER = 'sandbox';

/** A person stopped the demo. */
export class Interrupted extends Error {}

/** The whole demo: a Paybell, a shop, a subscriber and six payments; ends when all expected events have arrived. */
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
    private readonly play: Play,
    private readonly cleanup: Cleanup,
    private readonly signal: AbortSignal,
  ) {}

  /** Plays all stories to their end; throws when this fails. */
  async perform(): Promise<void> {
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
    const quotes: [Story, Quote][] = [];
    for (const story of this.play.stories) {
      const quote = await client.createQuote(story);
      this.ledger.open(story, quote.quoteId, quote.provider ?? story.provider ?? ONLY_PROVIDER);
      quotes.push([story, quote]);
    }
    // All stories begin at once, however long the quotes took.
    for (const [story, quote] of quotes) this.play.begin(story, quote);
    const say = (text: string): void => this.screen.line(board.notice(text));
    const disturbed = this.play.disturb(this.ledger.accounts, say, client);
    while (!this.audit.isComplete) {
      await this.pause();
      await this.audit.poll(client, subscriber !== null);
    }
    await disturbed;
  }

  /** Prints the end; returns whether everything went well. */
  close(failure: Error | null, undoProblems: readonly string[]): boolean {
    this.screen.end();
    const problems = [...undoProblems];
    if (failure !== null) problems.unshift(failure.message);
    if (this.shop !== null && this.shop.forged > 0)
      problems.push(`${this.shop.forged} webhooks had no valid signature`);
    // A person who stops the show half-way knows that results are missing.
    const results = failure instanceof Interrupted ? [] : this.audit.results;
    const lines = sumUp(results, problems);
    process.stdout.write(`${lines.join('\n')}\n`);
    const isPaybellAtFault = this.hasCrashed || (failure !== null && !this.isReady);
    const log = isPaybellAtFault ? messagesOf(this.paybell?.lines ?? []).slice(-LOG_LINES_SHOWN) : [];
    if (log.length > 0) process.stdout.write(`\nThe last that Paybell said:\n  ${log.join('\n  ')}\n`);
    return problems.length === 0 && this.audit.isComplete;
  }

  /** Keeps Paybell running until a person interrupts the demo, and says how to look at the payments. */
  async stay(): Promise<void> {
    const { paybell } = this;
    if (paybell === null) return;
    const lines = [
      '',
      `The dashboard:  ${paybell.url}/dashboard`,
      `API key:        ${paybell.apiKey}  (of the role admin, as long as this demo runs)`,
      'Ctrl-C ends the demo and removes its database.',
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    const interrupted = new Promise((resolve) =>
      this.signal.addEventListener('abort', resolve, { once: true }),
    );
    if (!this.signal.aborted) await Promise.race([interrupted, paybell.whenEnded()]);
    this.hasCrashed = !paybell.isRunning;
    if (this.hasCrashed) process.stdout.write('Paybell has ended by itself.\n');
  }

  /** Cleans up as far as possible when the process ends in an unplanned way. */
  abandon(): void {
    this.screen.end();
    this.paybell?.kill();
  }

  private async openSubscriber(): Promise<Subscriber | null> {
    const subscriber = await Subscriber.open(this.name);
    if (subscriber !== null) this.cleanup.add(() => subscriber.close());
    const place =
      subscriber === null ? 'not reachable, shown without' : `${subscriber.place}, exchange ${this.name}`;
    this.say(`Paybell demo: ${this.play.title}`);
    this.say(`RabbitMQ: ${place}`);
    return subscriber;
  }

  private async startPaybell(subscriber: Subscriber | null): Promise<PaybellClient> {
    const home = await mkdtemp(join(tmpdir(), 'paybell-demo-'));
    this.cleanup.add(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    // Under root, the embedded PostgreSQL runs as another user, who must be able to reach its folder.
    await chmod(home, 0o711);
    const port = await freePort();
    const key = randomBytes(24).toString('hex');
    const paybell = new PaybellProcess({
      port,
      apiKey: key,
      env: settingsFor({ home, key, subscriber, providers: this.play.env }),
      isDetached: true,
      stopWithinMs: STOP_WITHIN_MS,
    });
    this.paybell = paybell;
    this.cleanup.add(() => this.stopPaybell(paybell));
    const client = new PaybellClient(paybell.url, key, this.signal);
    this.say(`Paybell: ${paybell.url}, starting with an embedded PostgreSQL …`);
    while (!(await client.isReady())) await this.pause();
    this.isReady = true;
    return client;
  }

  private async stopPaybell(paybell: PaybellProcess): Promise<void> {
    const ending = await paybell.stop();
    // A crash is reported already.
    if (ending !== 0 && !this.hasCrashed)
      throw new Error(`Paybell ended with ${inWords(ending)} at its stop`);
  }

  private raiseCurtain(board: Board): void {
    this.say('');
    if (this.play.isBrief === true) this.screen = new SilentScreen();
    else if (LiveScreen.fits(2 + 2 * this.play.stories.length))
      this.screen = new LiveScreen(() => board.rows());
    this.screen.start();
  }

  private async pause(): Promise<void> {
    this.hasCrashed = this.paybell?.isRunning === false;
    if (this.hasCrashed)
      throw new Error(`Paybell ended with ${inWords((await this.paybell?.whenEnded()) ?? null)}`);
    await sleep(POLL_MS);
    this.signal.throwIfAborted();
  }

  private say(text: string): void {
    process.stdout.write(`${styleText('dim', text)}\n`);
  }
}

function inWords(ending: Ending): string {
  return typeof ending === 'number' ? `status ${ending}` : `signal ${ending}`;
}
