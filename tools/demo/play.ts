import type { Account } from './ledger.ts';
import type { PaybellClient, Quote } from './paybell-client.ts';
import type { Story } from './stories.ts';

/** The payments of a demo, and their providers. */
export interface Play {
  /** One line for the beginning. */
  readonly title: string;
  readonly stories: readonly Story[];
  /** The settings of its providers. */
  readonly env: Readonly<Record<string, string>>;
  /** Begins the story of a payment whose quote was made. */
  begin(story: Story, quote: Quote): void;
  /** Shows no single event, only the play's end. */
  readonly isBrief?: true;
  /**
   * Disturbs the providers while the stories run; `say` reports it. Called once all stories have begun; resolves at its end.
   */
  disturb(accounts: readonly Account[], say: (text: string) => void, client: PaybellClient): Promise<void>;
  close(): Promise<void>;
}
