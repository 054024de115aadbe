import { randomUUID } from 'node:crypto';

import { beforeEach, expect, it } from '@jest/globals';

import type { Quote } from '../../../src/domain/payment/quote.ts';
import type { PaymentProvider, StatusAnswer } from '../../../src/ports/payment-provider.ts';

interface Subject {
  readonly provider: PaymentProvider;
  readonly createQuote: () => Promise<Quote>;
}

/** No quote has one of these ids, and some would do harm in a path, a filter or a statement. */
const ODD_IDS = [
  '00000000-0000-4000-8000-000000000000',
  "x' OR 1=1 --",
  '../../api/chains',
  '..',
  'a/b?c=d#e',
  '%2e%2e%2f',
  'nul\u0000',
  'line\r\nbreak',
  '"],"x":["',
  '\u{1f4b8}',
  '\ud800',
  'x'.repeat(5_000),
  '',
];

/** The promises of every provider about its answers on payments, whatever the answers are. */
export function statusAnswers(subject: () => Subject): void {
  let provider: PaymentProvider;
  let createQuote: Subject['createQuote'];
  beforeEach(() => {
    ({ provider, createQuote } = subject());
  });

  const quotes = (count: number): Promise<Quote[]> => Promise.all(Array.from({ length: count }, createQuote));

  it('answers each id exactly once: more than one batch, some of them twice, unknown ones among them', async () => {
    const made = (await quotes(provider.limits.batchSize + 1)).map(({ quoteId }) => quoteId);
    const unknown = [randomUUID(), randomUUID()];
    const answers = await readAll(provider, [...unknown, ...made, ...made.slice(0, 3), ...unknown]);
    expect(answers.map(([id]) => id).sort()).toEqual([...made, ...unknown].sort());
    const kinds = new Map(answers.map(([id, { kind }]) => [id, kind]));
    for (const id of made) expect([id, kinds.get(id)]).toEqual([id, 'report']);
    for (const id of unknown) expect([id, kinds.get(id)]).toEqual([id, 'refused']);
    for (const [id, answer] of answers) if (answer.kind === 'report') expect(answer.report.quoteId).toBe(id);
  });

  it('refuses each odd id with 404, and lets none harm the others', async () => {
    const { quoteId } = await createQuote();
    const answers = await readAll(provider, [...ODD_IDS, quoteId]);
    expect(answers.map(([id]) => id).sort()).toEqual([...ODD_IDS, quoteId].sort());
    for (const [id, answer] of answers)
      expect([id, answer]).toMatchObject([
        id,
        id === quoteId ? { kind: 'report', report: { quoteId } } : { kind: 'refused', httpStatus: 404 },
      ]);
    expect(await readAll(provider, [])).toEqual([]);
  });
}

/** Every answer that came, in order, repetitions included. */
export async function readAll(
  provider: PaymentProvider,
  quoteIds: readonly string[],
): Promise<[string, StatusAnswer][]> {
  const answers: [string, StatusAnswer][] = [];
  await provider.readStatuses(quoteIds, (id, answer) => answers.push([id, answer]));
  return answers;
}
