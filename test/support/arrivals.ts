import { expect } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

/** Created, DEPOSIT_RECEIVED, EXECUTING, COMPLETED. */
export const EVENTS_EACH = 4;

/** The events that a consumer finds in the queue at the end, and those that it may find twice. */
export class Arrivals {
  constructor(
    private readonly messages: readonly ConsumeMessage[],
    private readonly before: ReadonlySet<string>,
    private readonly around: ReadonlySet<string>,
  ) {}

  /** Checks that every event arrived in order; only messages in flight at the fault may arrive twice. */
  check(quoteIds: readonly string[]): void {
    for (const quoteId of quoteIds) {
      const ours = this.messages.filter(({ properties }) => properties.headers?.['quote_id'] === quoteId);
      const sequences = ours.map(({ properties }) => Number(properties.headers?.['sequence']));
      expect([...new Set(sequences)]).toEqual([1, 2, 3, 4]);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
      expect(new Set(ours.map(idOf)).size).toBe(EVENTS_EACH);
    }
    expect(new Set(this.messages.map(idOf)).size).toBe(EVENTS_EACH * quoteIds.length);
    const atTheFault = (id: string): boolean => this.around.has(id) && !this.before.has(id);
    const repeated = this.messages.map(idOf).filter((id, index, all) => all.indexOf(id) !== index);
    expect(repeated.filter((id) => !atTheFault(id))).toEqual([]);
  }
}

function idOf({ properties }: ConsumeMessage): string {
  return String(properties.messageId);
}
