import { randomUUID } from 'node:crypto';

import { beforeEach, expect, it } from '@jest/globals';

import type { Quote } from '../../../src/domain/payment/quote.ts';
import type { PaymentProvider, StatusAnswer } from '../../../src/ports/payment-provider.ts';

interface Subject {
  readonly provider: PaymentProvider;
  readonly createQuote: () => Promise<Quote>;
}

/** None of them was ever a quote's, and some would be harmful in a path, a filter or a statement. */
const UNKNOWN_IDS: readonly (readonly [what: string, quoteId: string])[] = [
  ['nobody has been given', '00000000-0000-4000-8000-000000000000'],
  ['with a quotation mark', "x' OR 1=1 --"],
  ['that is another path', '../../api/chains'],
  ['that is the path above', '..'],
  ['with the signs of a URL', 'a/b?c=d#e'],
  ['that is encoded', '%2e%2e%2f'],
  ['with a zero byte', 'nul\u0000'],
  ['with a line break', 'line\r\nbreak'],
  ['that would end a JSON text', '"],"x":["'],
  ['with an emoji', '\u{1f4b8}'],
  ['with half a character', '\ud800'],
  ['of 5,000 characters', 'x'.repeat(5_000)],
  ['without a character', ''],
];
const ODD_IDS = UNKNOWN_IDS.map(([, quoteId]) => quoteId);

/** What every provider promises of its answers about payments, whatever they say. */
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

  it('asks nothing and answers nothing for no ids', async () => {
    expect(await readAll(provider, [])).toEqual([]);
  });

  it.each(UNKNOWN_IDS)('refuses an id %s with 404', async (_what, quoteId) => {
    const answers = await readAll(provider, [quoteId]);
    expect(answers).toEqual([[quoteId, expect.objectContaining({ kind: 'refused', httpStatus: 404 })]]);
  });

  it('lets no odd id harm the others', async () => {
    const { quoteId } = await createQuote();
    const answers = await readAll(provider, [...ODD_IDS, quoteId]);
    expect(answers.map(([id]) => id).sort()).toEqual([...ODD_IDS, quoteId].sort());
    expect(new Map(answers).get(quoteId)).toMatchObject({ kind: 'report', report: { quoteId } });
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
