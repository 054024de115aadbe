import { setTimeout as sleep } from 'node:timers/promises';

import { readToldStories, storyWord, type ToldStory } from '../testkit/told-story.ts';
import type { Account } from './ledger.ts';
import type { PaybellClient } from './paybell-client.ts';
import type { Play } from './play.ts';
import { story, type Story, USDC_ON_ARBITRUM, USDC_ON_BASE } from './stories.ts';

/** The amount in the files of docs/using/stories. */
const AMOUNT = '25.5';
/** The demo does not wait longer than this, such as for the end of an hour's execution. */
const LATEST_MS = 1_800_000;
const ASKED_EVERY_MS = 200;
const TX_HASH = `0x${'5a'.repeat(32)}`;

/** Plays every story of the sandbox, whose events must be those of the docs. */
export class MoneyPlay implements Play {
  readonly stories = readToldStories().map(toStory);
  readonly title = `all ${this.stories.length} stories of the sandbox, whose time runs 50 times as fast: about a minute`;
  readonly env = { PROVIDER: 'sandbox', SANDBOX_SPEED: '50' };
  readonly isBrief = true;
  private isClosed = false;

  begin(): void {
    // The sandbox pays by itself.
  }

  /** The shop passes on the payer's transaction once the quote with the unseen deposit has expired. */
  async disturb(
    accounts: readonly Account[],
    _say: (text: string) => void,
    client: PaybellClient,
  ): Promise<void> {
    const unseen = accounts.find(({ story: { orderId } }) => orderId === 'unseen_deposit');
    while (!this.isClosed && unseen?.webhooks.at(-1)?.data.status !== 'EXPIRED') await sleep(ASKED_EVERY_MS);
    if (!this.isClosed && unseen !== undefined) await client.submitDeposit(unseen.quoteId, TX_HASH);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function toStory({ name, events }: ToldStory): Story {
  const [first] = events;
  const latest = Date.parse(first?.time ?? '') + LATEST_MS;
  const awaited = events.filter(({ time }) => Date.parse(time) < latest);
  return story(name, AMOUNT, USDC_ON_BASE, USDC_ON_ARBITRUM, {
    title: awaited.map(storyWord).join(', '),
    end: awaited.at(-1)?.data.status ?? '',
    mustHappen: [],
    metadata: { story: name },
    told: { events, awaited: awaited.length },
  });
}
