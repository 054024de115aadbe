import { styleText } from 'node:util';

import type { ArrivedEvent } from './arrived-event.ts';
import type { Receipt } from './shop.ts';
import type { Account, Ledger } from './ledger.ts';

const WORDS: Readonly<Record<string, readonly [word: string, colour: Parameters<typeof styleText>[0]]>> = {
  'payment.created': ['waiting', 'cyan'],
  'payment.deposit_received': ['deposit', 'blue'],
  'payment.executing': ['executing', 'yellow'],
  'payment.completed': ['COMPLETED', 'green'],
  'payment.failed': ['FAILED', 'red'],
  'payment.expired': ['EXPIRED', 'magenta'],
  'payment.verified': ['verified', 'green'],
  'payment.updated': ['updated', 'dim'],
  'payment.stalled': ['stalled', 'yellow'],
  'payment.anomaly': ['anomaly', 'red'],
};

const NOTES: Readonly<Record<Receipt, string>> = {
  accepted: '',
  retried: ', second attempt',
  again: ', known already',
  refused: '',
  forged: '',
};
const DOTS = ['', ' ·', ' · ·', ' · · ·'];
const DOTS_MS = 400;

/** Shows the ledger in words and colours. */
export class Board {
  private readonly startedAt = Date.now();

  constructor(
    private readonly ledger: Ledger,
    private readonly hasBroker: boolean,
  ) {}

  /** Two rows for each payment: its route and amount, and its way until now. */
  rows(): string[] {
    const legend = this.hasBroker ? 'webhooks/messages' : 'webhooks';
    const head = styleText('dim', `${this.elapsed()}   ${legend}, and each payment on its way`);
    return [head, '', ...this.ledger.accounts.flatMap((account) => this.describe(account))];
  }

  webhook(receipt: Receipt, event: ArrivedEvent | null): string {
    const head = `${this.elapsed()}  ${styleText('green', 'webhook ')}`;
    if (event === null) return `${head}  ${styleText('red', '✗ not signed by Paybell: answered 401')}`;
    const published = `${head}  ${this.notify(event)}`;
    if (receipt === 'refused') return `${published}  ${styleText('red', '✗ answered 503 on purpose')}`;
    const note = styleText('dim', NOTES[receipt]);
    return `${published}  ${styleText('green', '✓ signature')}${note}`;
  }

  /** Something that happens to a provider. */
  notice(text: string): string {
    return `${this.elapsed()}  ${styleText('yellow', text)}`;
  }

  message(event: ArrivedEvent): string {
    return `${this.elapsed()}  ${styleText('magenta', 'rabbitmq')}  ${this.notify(event)}`;
  }

  /** The statuses in the order in which they arrived at the shop. */
  private way({ story, webhooks }: Account): string {
    const isAtEnd = webhooks.at(-1)?.data.status === story.end;
    const dots = DOTS[Math.floor(Date.now() / DOTS_MS) % DOTS.length] ?? '';
    const steps = webhooks.map(({ type, data }) => {
      const [word, colour] = WORDS[type] ?? [type, 'dim'];
      return styleText(colour, data.reason === undefined ? word : `${word} (${data.reason})`);
    });
    const late = webhooks.some(({ data }) => data.late) ? styleText('magenta', '  late') : '';
    return `${steps.join(styleText('dim', ' → '))}${late}${isAtEnd ? '' : styleText('dim', dots)}`;
  }

  private describe(account: Account): string[] {
    const { story, webhooks, messages } = account;
    const head = styleText('bold', `${story.orderId}  ${story.pays.padEnd(11)}`);
    const title = styleText('dim', `${story.way.padEnd(22)}  ${story.title}`);
    const count = this.hasBroker ? `${webhooks.length}/${messages.length}` : String(webhooks.length);
    return [`${head} ${title}`, `${styleText('dim', count.padStart(6))}  ${this.way(account)}`];
  }

  private notify({ type, data }: ArrivedEvent): string {
    const order = (data.orderId ?? data.quoteId).padEnd(7);
    return `${order} #${String(data.sequence).padEnd(2)} ${type.padEnd(25)}`;
  }

  private elapsed(): string {
    return `${((Date.now() - this.startedAt) / 1000).toFixed(1).padStart(5)} s`;
  }
}
