import { Readable } from 'node:stream';

import { afterEach, describe, expect, it } from '@jest/globals';

import {
  AdoptingClient,
  NO_LABELS,
  type Adopted,
  type OwnLabels,
} from '../../src/cli/restored/adopting-client.ts';
import { AdoptionRun } from '../../src/cli/restored/adoption-run.ts';
import { ApiClient, type Answered, type Sent } from '../../src/cli/api/api-client.ts';
import { Patience } from '../../src/cli/api/patience.ts';
import { ApiProblem, Unreachable } from '../../src/cli/api/problem.ts';
import type { NamedPayment } from '../../src/cli/restored/payment-lines.ts';
import { eventOfPayment } from '../support/paybell-events.ts';
import { HttpReceiver, type Script } from '../../tools/testkit/http-receiver.ts';

/** A Paybell that accepts every payment, and keeps the submitted ones. */
class FakeClient {
  readonly handed: Omit<NamedPayment, 'line'>[] = [];
  readonly owned: OwnLabels[] = [];
  readonly outcomes = new Map<string, Adopted>();
  private readonly tracked = new Set<string>();

  async adopt({ line: _line, ...payment }: NamedPayment, own = NO_LABELS): Promise<Adopted> {
    this.handed.push(payment);
    this.owned.push(own);
    const outcome = this.outcomes.get(payment.quoteId);
    if (outcome !== undefined) return outcome;
    const kind = this.tracked.has(payment.quoteId) ? 'known' : 'found';
    this.tracked.add(payment.quoteId);
    const set = { orderId: payment.orderId !== null, metadata: payment.metadata !== null };
    return { kind, own: set, keepsOther: false };
  }
}

async function run(lines: readonly (string | Buffer)[], client = new FakeClient()) {
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  // Splits the text into pieces that end anywhere.
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

  it('names each line that it cannot read, and goes on', async () => {
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
    const ids = Array.from({ length: 10_000 }, (_none, index) => `{"quoteId":"q-${index}"}`);
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
    expect([count('lines'), count('payments found again')]).toEqual([20_004, 9_999]);
    expect([count('payments known before'), count('unknown to the provider')]).toEqual([0, 1]);
    expect(client.handed).toHaveLength(10_001);
    expect(client.handed.filter(({ quoteId }) => quoteId === 'q-0')).toMatchObject([{ orderId: 'new' }]);
    expect(client.handed.at(-1)).toMatchObject({ quoteId: 'q-1', quoteText: '{}' });
  });
});

describe('a file that ends early', () => {
  it('hands over nothing more once the service is away, and says where to go on', async () => {
    const client = new FakeClient();
    const adopt = client.adopt.bind(client);
    client.adopt = async (payment, own) => {
      if (payment.line === 1_005) throw new Error('Paybell does not answer.');
      return adopt(payment, own);
    };
    const lines = Array.from({ length: 3_000 }, (_none, index) => `{"quoteId":"q-${index}"}`);
    const ended = run(lines, client);
    await expect(ended).rejects.toThrow(
      /^Paybell does not answer\. It ended at line 1005; .*tail -n \+1005 /,
    );
    // Payments submitted at the same moment may have been in flight.
    expect(client.handed.length).toBeLessThan(1_004 + 8);
  });

  it('tells why where a signal ended the reading', async () => {
    const reason = Object.assign(new Error('aborted'), {
      name: 'AbortError',
      cause: new Error('It was stopped.'),
    });
    async function* lines() {
      yield Buffer.from('{"quoteId":"q-1"}\n');
      throw reason;
    }
    const ended = new AdoptionRun(new FakeClient(), () => undefined).run(lines());
    await expect(ended).rejects.toThrow(/^It was stopped\. It ended at line 1; /);
  });
});

const NAMED: NamedPayment = {
  quoteId: 'q-1',
  orderId: 'old',
  metadata: { a: 'b' },
  quoteText: '{"n": 1}',
  sequence: 1,
  line: 1,
};

/** A Paybell that has this payment, or none, and accepts every post. */
function paybellWith(stored: object | null) {
  const posted: unknown[] = [];
  const answer = (status: number, data: object): Answered<never> => ({
    status,
    text: JSON.stringify(data),
    data: data as never,
  });
  const api = {
    url: 'http://paybell',
    call: async (_method: string, _path: string, asked: object = {}): Promise<Answered<never>> => {
      expect(asked).toEqual({ path: { quoteId: 'q-1' } });
      if (stored === null) throw new ApiProblem('unknown', 404, 'unknown_payment', 0);
      return answer(200, { quoteId: 'q-1', ...stored });
    },
    send: async (_path: string, { body = '' }: Sent): Promise<Answered<never>> => {
      posted.push(JSON.parse(body));
      return answer(stored === null ? 201 : 200, { quoteId: 'q-1' });
    },
  };
  const patience = new Patience({ busyMs: 0, awayMs: 0, newKeyMs: 0 }, new AbortController().signal);
  return { client: new AdoptingClient(api, patience), posted };
}

describe('a payment of a file', () => {
  it('keeps the order id, the metadata and the quote that it has', async () => {
    const stored = { orderId: 'new', metadata: { c: 'd' }, quote: {} };
    const { client, posted } = paybellWith(stored);
    expect(await client.adopt(NAMED)).toEqual({ kind: 'known', own: NO_LABELS, keepsOther: true });
    const same = { orderId: 'old', metadata: { a: 'b' }, quote: {} };
    expect(await paybellWith(same).client.adopt(NAMED)).toMatchObject({ keepsOther: false });
    expect(posted).toEqual([]);
  });

  it('gets what it lacks, and may get a newer label from the same file', async () => {
    const { client, posted } = paybellWith({ orderId: 'new', metadata: null, quote: null });
    const own = { orderId: false, metadata: true };
    expect(await client.adopt(NAMED)).toEqual({ kind: 'known', own, keepsOther: true });
    const quote = { n: 1 };
    expect(posted).toEqual([{ quoteId: 'q-1', orderId: null, metadata: { a: 'b' }, quote }]);
    const later = paybellWith({ orderId: 'new', metadata: { a: 'b' }, quote });
    await later.client.adopt({ ...NAMED, metadata: { a: 'c' } }, own);
    expect(later.posted).toEqual([{ quoteId: 'q-1', orderId: null, metadata: { a: 'c' } }]);
    const lost = paybellWith(null);
    const all = { orderId: true, metadata: true };
    expect(await lost.client.adopt(NAMED)).toEqual({ kind: 'found', own: all, keepsOther: false });
    expect(lost.posted).toEqual([{ quoteId: 'q-1', orderId: 'old', metadata: { a: 'b' }, quote }]);
  });

  it('is handed over with the labels that this file has set, and named where it keeps others', async () => {
    const client = new FakeClient();
    const many = Array.from({ length: 1_000 }, (_none, index) => `{"quoteId":"q-${index}"}`);
    await run([event('q-0', 1, { orderId: 'A' }), ...many, event('q-0', 2, { orderId: 'B' })], client);
    expect([client.owned[0], client.owned.at(-1)]).toEqual([NO_LABELS, { orderId: true, metadata: false }]);
    client.outcomes.set('q-1', { kind: 'known', own: NO_LABELS, keepsOther: true });
    const { printed } = await run(['{"quoteId":"q-1","orderId":"x"}'], client);
    expect(printed).toMatch(/^line 1: q-1 keeps its order id and metadata/);
  });
});

describe('the requests to a running Paybell', () => {
  const limits = { busyMs: 10_000, awayMs: 100, newKeyMs: 0 };
  const { signal } = new AbortController();
  let server: HttpReceiver;
  let api: ApiClient;

  async function start(script: Script): Promise<void> {
    server = await HttpReceiver.start(script);
    api = new ApiClient(server.url, 'key', signal);
  }
  afterEach(() => server.close());

  it('wait as long as one of them was told', async () => {
    await start(() => ({ status: 503, headers: { 'retry-after': '1' } }));
    const patience = new Patience(limits, signal);
    const first = patience.call(() => api.send('/first', {}));
    await server.waitForCount(1);
    server.answer(() => ({ status: 200, body: '{}' }));
    // The answer is in flight: from then on all requests wait.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await Promise.all([first, patience.call(() => api.send('/second', {}))]);
    const [refused, ...later] = server.requests;
    expect(later).toHaveLength(2);
    for (const { at } of later) expect(at - (refused?.at ?? 0)).toBeGreaterThanOrEqual(900);
  });

  it('all end with the first one that finds Paybell away', async () => {
    await start(() => 'reset');
    const patience = new Patience(limits, signal);
    const ask = (): Promise<unknown> => patience.call(() => api.send('/', {}));
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, ask));
    const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : null));
    expect(new Set(reasons).size).toBe(1);
    expect(reasons[0]).toBeInstanceOf(Unreachable);
    const asked = server.requests.length;
    await expect(ask()).rejects.toBe(reasons[0]);
    expect(server.requests).toHaveLength(asked);
  });

  it('are repeated with a new key until Paybell knows it, and end where it never does', async () => {
    await start(() => ({ status: 401 }));
    const patience = new Patience({ ...limits, newKeyMs: 5_000 }, signal);
    const first = patience.call(() => api.send('/', {}));
    await server.waitForCount(1);
    server.answer(() => ({ status: 200, body: '{}' }));
    expect(await first).toMatchObject({ status: 200 });
    server.answer(() => ({ status: 401 }));
    const client = new AdoptingClient(api, new Patience(limits, signal));
    await expect(client.adopt(NAMED)).rejects.toThrow('does not use this database');
  });
});
