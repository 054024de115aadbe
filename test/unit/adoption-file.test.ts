import { Readable } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import type { Adopted } from '../../src/cli/adopting-client.ts';
import { AdoptionRun } from '../../src/cli/adoption-run.ts';
import type { NamedPayment } from '../../src/cli/payment-lines.ts';
import { eventOfPayment } from '../support/paybell-events.ts';

/** A Paybell that takes in what it is told, and remembers what was handed over. */
class FakeClient {
  readonly handed: Omit<NamedPayment, 'line'>[] = [];
  readonly outcomes = new Map<string, Adopted>();
  private readonly tracked = new Set<string>();

  async adopt({ line: _line, ...payment }: NamedPayment): Promise<Adopted> {
    this.handed.push(payment);
    const outcome = this.outcomes.get(payment.quoteId);
    if (outcome !== undefined) return outcome;
    const kind = this.tracked.has(payment.quoteId) ? 'known' : 'found';
    this.tracked.add(payment.quoteId);
    return { kind };
  }
}

async function run(lines: readonly (string | Buffer)[], client = new FakeClient()) {
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  // In pieces that end anywhere.
  const chunks = Array.from({ length: Math.ceil(bytes.length / 70_001) }, (_none, index) =>
    bytes.subarray(index * 70_001, (index + 1) * 70_001),
  );
  let printed = '';
  const { isGood } = await new AdoptionRun(client, (text) => (printed += text)).run(Readable.from(chunks));
  const count = (label: string) => Number(new RegExp(`^${label}[^\\n]*?(\\d+)$`, 'm').exec(printed)?.[1]);
  return { client, printed, isGood, count };
}

function event(quoteId: string, sequence: number, data: object = {}): string {
  const made = eventOfPayment(quoteId, sequence);
  return JSON.stringify({ ...made, data: { ...made.data, ...data } });
}

describe('a file of payments', () => {
  it('hands over each payment once, as objects or events name it', async () => {
    const { client, count, isGood } = await run([
      '{"quoteId":"q-1","orderId":"A-1","metadata":{"shop":"eu"}}',
      '',
      event('q-2', 3, { orderId: 'A-2' }),
      '{"quoteId":"q-1"}',
      event('q-2', 4, { orderId: 'A-2' }),
    ]);
    expect(client.handed).toEqual([
      { quoteId: 'q-1', orderId: 'A-1', metadata: { shop: 'eu' }, quoteText: null, sequence: 0 },
      { quoteId: 'q-2', orderId: 'A-2', metadata: null, quoteText: null, sequence: 4 },
    ]);
    expect([count('lines'), count('payments found again'), isGood]).toEqual([5, 2, true]);
  });

  it('takes the label of the newest event, wherever it stands, and any quote, verbatim', async () => {
    const quote = '{"n": 12345678901234567890.10 }';
    const withQuote = event('q-1', 1).replace('"late":false', `"late":false,"quote":${quote}`);
    const { client } = await run([
      event('q-1', 1_000_003, { orderId: 'new', metadata: null }),
      withQuote,
      event('q-1', 2, { orderId: 'old', metadata: { a: 'b' } }),
    ]);
    expect(client.handed).toEqual([
      { quoteId: 'q-1', orderId: 'new', metadata: { a: 'b' }, quoteText: quote, sequence: 1_000_003 },
    ]);
  });

  it('names each line that it can not read, and goes on', async () => {
    const { printed, client, count, isGood } = await run([
      '{"quoteId":',
      'null',
      '{}',
      '{"quoteId":"../x"}',
      '{"quoteId":"q-1","orderId":7}',
      '{"quoteId":"q-1","metadata":{"a":1}}',
      '{"quoteId":"q-1","quote":"x"}',
      '{"specversion":"1.0","type":"payment.created"}',
      Buffer.from([0x7b, 0xff]),
      `{"quoteId":"q-1","x":"${'x'.repeat(1_100_000)}"}`,
      '{"quoteId":"q-2"}',
    ]);
    expect(printed.split('\n').slice(0, 10)).toEqual([
      'line 1: it is not JSON',
      'line 2: it is no JSON object',
      'line 3: it has no quoteId',
      'line 4: its quoteId is not the id of a quote',
      'line 5: its orderId is not valid',
      'line 6: its metadata must be a string',
      'line 7: its quote is no JSON object',
      'line 8: it is an event without data',
      'line 9: it is not UTF-8',
      'line 10: it is longer than 1024 KiB',
    ]);
    expect(client.handed.map(({ quoteId }) => quoteId)).toEqual(['q-2']);
    expect([count('lines that could not'), isGood]).toEqual([10, false]);
  });

  it('tells what became of each payment that is not tracked, and fails for a failure only', async () => {
    const client = new FakeClient();
    client.outcomes.set('q-1', { kind: 'unknown' }).set('q-2', { kind: 'removed' });
    const test = JSON.stringify({
      ...eventOfPayment('q', 1),
      type: 'webhook.test',
      data: { endpointId: 'x' },
    });
    const lines = ['{"quoteId":"q-0"}', '{"quoteId":"q-1"}', '{"quoteId":"q-2"}', test];
    const first = await run(lines, client);
    expect(first.printed).toContain('line 2: q-1 is unknown to the provider\nline 3: q-2 was removed');
    expect([first.count('lines about no payment'), first.isGood]).toEqual([1, true]);
    client.outcomes.set('q-2', { kind: 'failed', reason: '422 no' });
    const second = await run(lines, client);
    expect(second.printed).toContain('line 3: q-2 failed: 422 no');
    expect(second.printed).toMatch(/known to be unknown.* 2\n/);
    const counts = ['payments known before', 'unknown to the provider', 'removed', 'failed'];
    expect(counts.map(second.count)).toEqual([1, 1, 0, 1]);
    expect(second.isGood).toBe(false);
  });

  it('counts each payment of a long file once, and asks again only for what is new', async () => {
    const ids = Array.from({ length: 100_000 }, (_none, index) => `{"quoteId":"q-${index}"}`);
    const client = new FakeClient();
    client.outcomes.set('q-2', { kind: 'unknown' });
    const { count } = await run(
      [
        event('q-0', 5, { orderId: 'new' }),
        ...ids,
        event('q-0', 4, { orderId: 'old' }),
        '{"quoteId":"q-1","quote":{}}',
        '{"quoteId":"q-1","quote":{}}',
        ...ids,
      ],
      client,
    );
    expect([count('lines'), count('payments found again')]).toEqual([200_004, 99_999]);
    expect([count('payments known before'), count('unknown to the provider')]).toEqual([0, 1]);
    expect(client.handed).toHaveLength(100_001);
    expect(client.handed.filter(({ quoteId }) => quoteId === 'q-0')).toMatchObject([{ orderId: 'new' }]);
    expect(client.handed.at(-1)).toMatchObject({ quoteId: 'q-1', quoteText: '{}' });
  });
});
