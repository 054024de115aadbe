import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import type {
  OutputAnswer,
  PromisedOutput,
  SeenTransfer,
  WatchedDeposit,
} from '../../../src/domain/proof/output.ts';
import { Anvil } from '../../../tools/testkit/anvil.ts';
import { type Lie, LyingRpc, type RpcReply, type RpcRequest } from '../../support/chain/lying-rpc.ts';
import {
  MovedTimers,
  newAddress,
  promised,
  witnessOf,
  type WitnessOptions,
} from '../../support/chain/witness.ts';
import { FakeMeter } from '../../support/fakes/meter.fake.ts';
import { describeWith } from '../../support/describe-with.ts';

/** The number of blocks for a chain whose node reports the block 64 below its head as final. */
const UNTIL_FINAL = 70;
const OTHER_HASH = `0x${'ee'.repeat(32)}`;

type Fields = Record<string, unknown>;

/** Changes the result of a method. */
function changed(method: string, change: (result: Fields, request: RpcRequest) => unknown): Lie {
  return {
    reply: (request, reply) =>
      request.method === method && reply.result !== null && reply.result !== undefined
        ? { result: change(reply.result as Fields, request) }
        : reply,
  };
}

function fails(method: string, code: number, message: string): Lie {
  return { reply: (request, reply) => (request.method === method ? { error: { code, message } } : reply) };
}

function other(requests: readonly RpcRequest[]): { status: number; body: string } {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 77,
    result: requests[0]?.method === 'eth_chainId' ? '0x2105' : null,
  });
  return { status: 200, body };
}

function whole(status: number, body: string | Buffer, more: object = {}): Lie {
  return { whole: () => ({ status, body, ...more }) };
}

const LIES: readonly (readonly [string, Lie])[] = [
  ['names another chain', changed('eth_chainId', () => '0x1')],
  ['names no chain', changed('eth_chainId', () => null)],
  [
    'answers the receipt of another transaction',
    changed('eth_getTransactionReceipt', (it) => ({ ...it, transactionHash: OTHER_HASH })),
  ],
  [
    'answers a receipt of another block',
    changed('eth_getTransactionReceipt', (it) => ({ ...it, blockHash: OTHER_HASH, logs: [] })),
  ],
  [
    'answers receipts with other amounts',
    changed('eth_getTransactionReceipt', (it) => ({
      ...it,
      logs: (it['logs'] as Fields[]).map((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })),
    })),
  ],
  [
    'answers receipts without their logs',
    changed('eth_getTransactionReceipt', (it) => ({ ...it, logs: [] })),
  ],
  [
    'answers that what succeeded failed',
    changed('eth_getTransactionReceipt', (it) => ({ ...it, status: '0x0', logs: [] })),
  ],
  [
    'answers a receipt without a status',
    changed('eth_getTransactionReceipt', (it) => ({ ...it, status: undefined })),
  ],
  ['answers a receipt as a word', changed('eth_getTransactionReceipt', () => 'success')],
  ['has no receipt', changed('eth_getTransactionReceipt', () => null)],
  ['has pruned its receipts', fails('eth_getTransactionReceipt', -32_000, 'missing trie node')],
  [
    'has another block of that number',
    changed('eth_getBlockByNumber', (it, { params }) =>
      String(params[0]).startsWith('0x') ? { ...it, hash: OTHER_HASH } : it,
    ),
  ],
  [
    'answers another block than the one asked for',
    changed('eth_getBlockByNumber', (it, { params }) =>
      String(params[0]).startsWith('0x') ? { ...it, number: '0x1' } : it,
    ),
  ],
  ['has no head', changed('eth_getBlockByNumber', () => null)],
  [
    'answers numbers as numbers',
    changed('eth_getBlockByNumber', (it) => ({ ...it, number: Number(it['number']) })),
  ],
  [
    'has stopped far behind',
    changed('eth_getBlockByNumber', (it, { params }) =>
      String(params[0]).startsWith('0x') ? null : { ...it, number: '0x1' },
    ),
  ],
  ['limits by 429', whole(429, 'slow down', { headers: { 'retry-after': '7' } })],
  ['limits by an error', fails('eth_getTransactionReceipt', -32_005, 'limit exceeded')],
  ['limits by words', fails('eth_getBlockByNumber', -32_000, 'Too Many Requests, your key abc is throttled')],
  ['answers an error to all', fails('eth_getBlockByNumber', -32_603, 'internal error')],
  [
    'answers a single call with the id of another',
    { whole: (requests) => (requests.length > 1 ? { status: 400, body: '' } : other(requests)) },
  ],
  [
    'has a head of the next century',
    changed('eth_getBlockByNumber', (it) => ({ ...it, timestamp: '0xee6b2800' })),
  ],
  [
    'has a head that no chain reaches',
    changed('eth_getBlockByNumber', (it, { params }) =>
      params[0] === 'latest' ? { ...it, number: '0x10000000000000' } : it,
    ),
  ],
  [
    'names a final block above its head',
    changed('eth_getBlockByNumber', (it, { params }) =>
      params[0] === 'finalized' ? { ...it, number: `0x${(Number(it['number']) + 1_000).toString(16)}` } : it,
    ),
  ],
  [
    'has a head that does not move',
    changed('eth_getBlockByNumber', (it, { params }) =>
      String(params[0]).startsWith('0x') ? it : { ...it, timestamp: '0x60000000' },
    ),
  ],
  ['answers HTML', whole(200, '<html>hello</html>')],
  ['answers that it is down', whole(503, 'no')],
  ['answers half a body', whole(200, '[{"jsonrpc":"2.0","id":1,"result":"0x2105"}]', { isCut: true })],
  ['answers nothing', whole(200, '')],
  ['answers null', whole(200, 'null')],
  ['answers too much', whole(200, Buffer.alloc(5 * 1_024 * 1_024, 0x20))],
  ['answers a deep nest', whole(200, `${'['.repeat(50_000)}${']'.repeat(50_000)}`)],
  ['redirects', whole(302, '', { headers: { location: 'http://127.0.0.1:1/' } })],
];

/** The hostile RPCs that answer as if they were honest. */
const SAYS: ReadonlySet<string> = new Set([
  'answers a receipt of another block',
  'answers receipts with other amounts',
  'answers receipts without their logs',
  'answers that what succeeded failed',
  'has no receipt',
  'has stopped far behind',
  'has another block of that number',
]);

describeWith('anvil', 'a witness whose RPC errs or lies', (path) => {
  let anvil: Anvil;
  let rpc: LyingRpc;
  let token: string;
  let right: PromisedOutput;
  let short: PromisedOutput;
  let deposit: WatchedDeposit;
  const witnesses: ChainWitnesses[] = [];

  beforeAll(async () => {
    anvil = await Anvil.start(path);
    rpc = await LyingRpc.before(anvil.url);
    token = await anvil.deploy('Token');
    const recipient = newAddress();
    const paid = await anvil.transfer(token, recipient, 1_000n);
    right = promised({ token, recipient, txHashes: [paid.txHash] });
    short = { ...right, leastAmount: 2_000n };
    const { chainId, txHashes } = right;
    const since = new Date(Date.now() - 3_600_000);
    deposit = { chainId, token, depositAddress: recipient, asked: null, others: [], txHashes, since };
    await anvil.mine(UNTIL_FINAL);
  });

  afterEach(() => {
    rpc.lie = {};
    rpc.forget();
  });

  afterAll(async () => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    await rpc.close();
    await anvil.stop();
  });

  const witness = (options: WitnessOptions = {}, urls = [rpc.url]): ChainWitnesses => {
    const made = witnessOf(urls, options);
    witnesses.push(made);
    return made;
  };
  const inspect = (output: PromisedOutput, urls?: string[]): Promise<OutputAnswer> =>
    witness({}, urls).inspectOutput(output);

  it('answers rightly while it is honest', async () => {
    expect(await inspect(right)).toMatchObject({ state: 'proven' });
    expect(await inspect(short)).toMatchObject({ state: 'contradicted', reason: 'amount_short' });
  });

  it.each(LIES)(
    '%s: nothing is proven and nothing contradicted, until it does so no more',
    async (_, lie) => {
      const timers = new MovedTimers();
      const asking = witness({ timers });
      rpc.lie = lie;
      expect((await asking.inspectOutput(right)).state).toBe('inconclusive');
      expect((await inspect({ ...right, txHashes: [] })).state).not.toBe('contradicted');
      expect((await inspect({ ...short, txHashes: [] })).state).toBe('inconclusive');
      rpc.lie = {};
      timers.pass(300_000);
      expect((await asking.inspectOutput(right)).state).toBe('proven');
    },
  );

  it.each(LIES)(
    '%s: what is wrong is never proven, what is right never contradicted, beside an honest one',
    async (name, lie) => {
      rpc.lie = lie;
      const both = [anvil.url, rpc.url];
      const answer = await inspect(right, both);
      const failed = await inspect(short, both);
      expect(answer.sources).toEqual(['127.0.0.1', ...(SAYS.has(name) ? ['127.0.0.1#2'] : [])]);
      expect(answer.state).not.toBe('contradicted');
      expect(failed.state).not.toBe('proven');
      // An RPC with a result of its own is not outvoted; an RPC without a usable result does not count.
      expect(answer.state).toBe(SAYS.has(name) ? 'inconclusive' : 'proven');
    },
  );

  it.each([
    [
      'is on another chain',
      changed('eth_chainId', () => '0x1'),
      /#2 is on chain 1, not 8453 and does not count\.$/,
    ],
    [
      'is stuck',
      changed('eth_getBlockByNumber', (it, { params }) =>
        String(params[0]).startsWith('0x') ? it : { ...it, timestamp: '0x60000000' },
      ),
      /#2 is stuck at block \d+ of 2021-01-14T08:25:36.000Z and does not count\.$/,
    ],
  ])('that %s does not count beside an honest one, and is named', async (_, lie, said) => {
    rpc.lie = lie;
    const timers = new MovedTimers();
    const asking = witness({ timers }, [anvil.url, rpc.url]);
    const { state, checks } = await asking.inspectOutput(right);
    expect([state, checks[0]?.detail]).toEqual(['proven', expect.stringMatching(said)]);
    expect(asking.troubles()).toMatchObject([{ chainId: 8453, rpcs: ['127.0.0.1#2'] }]);
    rpc.lie = {};
    timers.pass(3_000);
    await asking.inspectOutput(right);
    expect(asking.troubles()).toEqual([]);
  });

  it('holds nothing back after it changed its chain', async () => {
    const asking = witness({}, [anvil.url, rpc.url]);
    await asking.inspectOutput(right);
    const others: Record<string, RpcReply> = {
      eth_chainId: { result: '0x1' },
      eth_getTransactionReceipt: { result: null },
    };
    rpc.lie = { reply: ({ method }, reply) => others[method] ?? reply };
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven', sources: ['127.0.0.1'] });
  });

  it('is asked for its chain every ten seconds: alone, it may have changed it', async () => {
    const timers = new MovedTimers();
    const asking = witness({ timers });
    expect((await asking.inspectOutput(right)).state).toBe('proven');
    rpc.lie = changed('eth_chainId', () => '0x1');
    timers.pass(10_000);
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'inconclusive', reason: 'wrong_chain' });
  });

  it('is asked on after answers that are too large: it answers other calls', async () => {
    const asking = witness();
    rpc.lie = whole(200, Buffer.alloc(5 * 1_024 * 1_024, 0x20));
    for (let look = 0; look < 6; look += 1)
      expect(await asking.inspectOutput(right)).toMatchObject({ state: 'inconclusive', reason: 'rpc_error' });
    rpc.lie = {};
    expect((await asking.inspectOutput(right)).state).toBe('proven');
  });

  it('is not asked again while its circuit is open, and soon after it is back', async () => {
    const timers = new MovedTimers();
    const meter = new FakeMeter();
    const asking = witness({ timers, meter });
    rpc.lie = whole(503, 'no');
    for (let failure = 0; failure < 5; failure += 1) await asking.inspectOutput(right);
    expect(rpc.requests).toBe(5);
    for (let more = 0; more < 20; more += 1)
      expect(await asking.inspectOutput(right)).toMatchObject({ state: 'inconclusive', reason: 'rpc_held' });
    expect(rpc.requests).toBe(5);
    timers.pass(10_001);
    // One inspection probes, although many run at once.
    await Promise.all(Array.from({ length: 10 }, () => asking.inspectOutput(right)));
    expect(rpc.requests).toBe(6);
    rpc.lie = {};
    timers.pass(20_001);
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven' });
    const told = meter.rpcCalls.map(({ outcome, openCircuits }) => `${outcome} ${openCircuits}`);
    expect(told).toEqual([
      ...Array<string>(4).fill('away 0'),
      'away 1',
      'away 1',
      'answered 0',
      'answered 0',
    ]);
  });

  it('costs an honest one beside it nothing once it is gone', async () => {
    const timers = new MovedTimers();
    const gone = await LyingRpc.before(anvil.url);
    await gone.close();
    const asking = witness({ timers }, [gone.url, rpc.url]);
    for (let failure = 0; failure < 5; failure += 1)
      expect(await asking.inspectOutput(right)).toMatchObject({ sources: ['127.0.0.1#2'] });
    expect(await asking.inspectOutput(short)).toMatchObject({ state: 'contradicted' });
    await gone.open();
    timers.pass(600_000);
    expect(await asking.inspectOutput(right)).toMatchObject({
      state: 'proven',
      sources: ['127.0.0.1', '127.0.0.1#2'],
    });
    await gone.close();
  });

  it('is waited for as long as it asks', async () => {
    const timers = new MovedTimers();
    const asking = witness({ timers });
    rpc.lie = whole(429, '', { headers: { 'retry-after': '7' } });
    expect(await asking.inspectOutput(right)).toMatchObject({ reason: 'rpc_limited', askAgainMs: 7_000 });
    expect(await asking.inspectOutput(right)).toMatchObject({ reason: 'rpc_held' });
    expect(rpc.requests).toBe(1);
    rpc.lie = {};
    timers.pass(7_001);
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven' });
  });

  it.each([
    [
      'with an error',
      { whole: refuseBatches('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch"}}') },
    ],
    [
      'with an error in an array',
      { whole: refuseBatches('[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}]') },
    ],
    ['with status 400', { whole: refuseBatches('no batches here', 400) }],
  ])('is asked one by one where it refuses batches %s', async (_, lie) => {
    const asking = witness();
    rpc.lie = lie;
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven' });
    rpc.forget();
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven' });
    // No call is repeated once its answer is known.
    expect(rpc.requests).toBe(rpc.asked.length);
  });

  it('is asked for four things to prove a payment, and for two more when its block is final', async () => {
    const asking = witness();
    await asking.inspectOutput(right);
    const first = rpc.asked.filter((method) => method !== 'eth_chainId');
    expect(first.toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'eth_getBlockByNumber'),
      'eth_getTransactionReceipt',
    ]);
    expect(rpc.requests).toBe(2);
    rpc.forget();
    await asking.inspectOutput(right);
    // The inspection uses the heads of the one before.
    expect(rpc.asked).toEqual(['eth_getTransactionReceipt', 'eth_getBlockByNumber']);
    rpc.forget();
    const answer = await asking.inspectOutput(right);
    if (answer.state !== 'proven') throw new Error('not proven');
    rpc.forget();
    await asking.inspectOutput({ ...right, provenBy: answer.transfers[0] });
    expect(rpc.asked).toEqual(['eth_getBlockByNumber']);
  });

  it('is asked for three things of each of two payments in a row, beside the heads that they share', async () => {
    const timers = new MovedTimers();
    const asking = witness({ timers });
    const outputs: PromisedOutput[] = [];
    for (let payment = 0; payment < 2; payment += 1) {
      const recipient = newAddress();
      const { txHash } = await anvil.transfer(token, recipient, 1_000n);
      outputs.push(promised({ token, recipient, txHashes: [txHash] }));
    }
    const inspectBoth = async (provenBy: readonly SeenTransfer[] = []): Promise<OutputAnswer[]> => {
      const answers = [];
      for (const [index, output] of outputs.entries())
        answers.push(await asking.inspectOutput({ ...output, provenBy: provenBy[index] ?? null }));
      return answers;
    };
    const [RECEIPT, BLOCK] = ['eth_getTransactionReceipt', 'eth_getBlockByNumber'];
    for (const answer of await inspectBoth()) expect(answer).toMatchObject({ reason: 'not_confirmed' });
    expect(rpc.asked).toEqual(['eth_chainId', RECEIPT, BLOCK, BLOCK, RECEIPT]);
    rpc.forget();
    await anvil.mine(8);
    timers.pass(9_000);
    const proven = await inspectBoth();
    expect(rpc.asked).toEqual([BLOCK, BLOCK, BLOCK]);
    rpc.forget();
    await anvil.mine(UNTIL_FINAL);
    timers.pass(120_000);
    const transfers = proven.flatMap((answer) => (answer.state === 'proven' ? answer.transfers : []));
    for (const answer of await inspectBoth(transfers))
      expect(answer).toMatchObject({ state: 'proven', askAgainMs: null });
    expect(rpc.asked).toEqual(['eth_chainId', BLOCK, BLOCK, BLOCK, BLOCK]);
  });

  it('is searched in ranges as long as it takes, which it is asked for once', async () => {
    const { number } = await anvil.head();
    await anvil.mine(100 - (number % 100));
    const longest = 30;
    let refused = 0;
    rpc.lie = {
      reply({ method, params }: RpcRequest, reply: RpcReply) {
        if (method !== 'eth_getLogs') return reply;
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        if (Number(toBlock) - Number(fromBlock) < longest) return reply;
        refused += 1;
        return { error: { code: -32_005, message: `query exceeds max block range ${longest}` } };
      },
    };
    const asking = witness();
    expect(await asking.inspectOutput({ ...right, txHashes: [] })).toMatchObject({ state: 'proven' });
    expect(refused).toBeGreaterThan(0);
    refused = 0;
    expect(await asking.inspectOutput({ ...right, txHashes: [] })).toMatchObject({ state: 'proven' });
    expect(refused).toBe(0);
  });

  it('is left alone where a search takes too many ranges', async () => {
    rpc.lie = fails('eth_getLogs', -32_602, 'block range too large');
    expect(await inspect({ ...right, txHashes: [] })).toMatchObject({
      state: 'inconclusive',
      reason: 'rpc_error',
    });
    expect(rpc.asked.filter((method) => method === 'eth_getLogs').length).toBeLessThanOrEqual(20);
  });

  it.each<[string, RpcReply]>([
    [
      'an error that names the word',
      { error: { code: -32_602, message: 'invalid argument 0: hex string without 0x prefix' } },
    ],
    ['an error in other words', { error: { code: -32_603, message: 'Unknown block tag: finalized' } }],
    ['an error of its own', { error: { code: -39_001, message: 'finalized block not found' } }],
    ['null', { result: null }],
  ])('that answers %s to finalized twice has final blocks after their confirmations', async (_, said) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const timers = new MovedTimers();
    const asking = witness({ timers });
    rpc.lie = { reply: ({ params }, reply) => (params[0] === 'finalized' ? said : reply) };
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'proven' });
    timers.pass(10_000);
    await asking.inspectOutput(short);
    expect(await asking.inspectOutput(short)).toMatchObject({
      state: 'contradicted',
      reason: 'amount_short',
    });
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/names no `finalized` block/)]]);
    warn.mockRestore();
  });

  it('that errs to all for a while has final blocks as before', async () => {
    const timers = new MovedTimers();
    const asking = witness({ timers });
    rpc.lie = fails('eth_getBlockByNumber', -32_603, 'internal error');
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await asking.inspectOutput(short)).toMatchObject({ reason: 'rpc_error' });
      timers.pass(10_000);
    }
    rpc.lie = { reply: ({ params }, reply) => (params[0] === 'finalized' ? { result: null } : reply) };
    expect(await asking.inspectOutput(short)).toMatchObject({ reason: 'not_final' });
  });

  it('keeps to its pace', async () => {
    const asking = witness({ maxRps: 4 });
    const startedAt = performance.now();
    await asking.inspectOutput(right);
    await asking.inspectOutput(right);
    await asking.inspectOutput(right);
    // Nine calls: four at once, and then four a second.
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('is given up when it does not answer in time', async () => {
    const asking = witness({ timeoutMs: 200 });
    rpc.lie = { isSilent: true };
    expect(await asking.inspectOutput(right)).toMatchObject({ state: 'inconclusive', reason: 'rpc_away' });
    expect(await asking.inspectDeposit({ ...deposit, txHashes: [] })).toEqual([]);
  });

  it('shows no deposit whose block the chain has replaced', async () => {
    expect(await witness().inspectDeposit(deposit)).toMatchObject([{ amount: 1_000n }]);
    rpc.lie = changed('eth_getBlockByNumber', (it) => ({ ...it, hash: OTHER_HASH }));
    expect(await witness().inspectDeposit(deposit)).toEqual([]);
  });

  it('of another fork than the one beside it proves and contradicts nothing', async () => {
    const fork = await Anvil.start(path);
    try {
      const forkToken = await fork.deploy('Token');
      expect(forkToken).toBe(token);
      await fork.mine(1);
      const { txHash } = await fork.transfer(token, right.recipient, 1_000n);
      await fork.mine(UNTIL_FINAL);
      const both = [rpc.url, fork.url];
      expect(await inspect(right, [fork.url])).toMatchObject({ reason: 'not_found' });
      for (const output of [right, short, { ...right, txHashes: [txHash] }])
        expect((await inspect(output, both)).state).toBe('inconclusive');
      expect(await inspect({ ...right, txHashes: [] }, both)).toMatchObject({ reason: 'rpcs_disagree' });
    } finally {
      await fork.stop();
    }
  });

  it('is refused within private ranges that are not listed, and told so without its URL', async () => {
    const asking = witness({ allowedCidrs: ['10.0.0.0/8'] });
    expect(await asking.inspectOutput(right)).toMatchObject({
      state: 'inconclusive',
      reason: 'rpc_away',
      sources: [],
    });
    expect(rpc.requests).toBe(0);
  });
});

function refuseBatches(body: string, status = 200): NonNullable<Lie['whole']> {
  return (requests) => (requests.length > 1 ? { status, body } : null);
}
