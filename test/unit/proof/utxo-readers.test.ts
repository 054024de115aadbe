import { describe, expect, it } from '@jest/globals';

import type { Exchanged, RpcConnection } from '../../../src/chains/rpc/rpc-connection.ts';
import { RpcTrouble } from '../../../src/chains/rpc/rpc-trouble.ts';
import { Blockbook, BLOCKBOOK_END } from '../../../src/chains/utxo/blockbook.ts';
import { Esplora } from '../../../src/chains/utxo/esplora.ts';
import { HttpApi } from '../../../src/chains/utxo/http-api.ts';
import { utxoChainOf } from '../../../src/chains/utxo/utxo-chains.ts';
import { BITCOIN, DOGECOIN } from '../../../src/domain/chains/utxo-script.ts';
import { hashNo } from '../../support/chain/utxo-chain.ts';

const TXID = '8c1e3dec662d1f2a5e322ccef5eca263f98eb16723c6f990be0c88c1db113fb1';
const SPENT = '0eb7b574373de2c88d0dc1444f49947c681d0437d21361f9ebb4dd09c62f2a66';
const BLOCK = '00000000000000000000effeb0c4460480e6a347deab95332c63007a68646ee5';
const SCRIPT = '76a914ecc999d554eaa3efa5e871c28f58b549c36ec51788ac';
const PAYER = '0014da1d34cbeded6708a3488905eabb50c4e652714b';
const AT = 1_725_956_288;

/** A server that answers each path, with its query, as the table says, and all others so. */
class Server {
  readonly asked: string[] = [];
  readonly counted: string[] = [];

  constructor(
    private readonly answers: Readonly<Record<string, unknown>>,
    private readonly otherwise: Partial<Exchanged> = {
      status: 404,
      body: Buffer.from('Transaction not found'),
    },
    readonly path = '/api',
  ) {}

  get connection(): RpcConnection {
    const { path, counted } = this;
    const away = (_calls: number, reason: string): RpcTrouble => {
      counted.push('away');
      return new RpcTrouble('rpc_away', reason, 1);
    };
    const answered = (): unknown => counted.push('answered');
    const made = { path, exchange: this.exchange.bind(this), answered, away };
    return made as unknown as RpcConnection;
  }

  private exchange({ method, path }: { method: string; path: string }): Promise<Partial<Exchanged>> {
    this.asked.push(`${method} ${path}`);
    const answer =
      this.answers[path.replace(/^\/(?:api(?=\/(?:tx|block|scripthash)))?/, '/').replace('//', '/')];
    if (answer === undefined) return Promise.resolve(this.otherwise);
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return Promise.resolve({ status: 200, body: Buffer.from(text) });
  }
}

const esploraOf = (server: Server): Esplora => new Esplora(new HttpApi(server.connection));
const blockbookOf = (server: Server, chainId = BITCOIN): Blockbook =>
  new Blockbook(new HttpApi(server.connection, BLOCKBOOK_END), chainId, utxoChainOf(chainId));

/** As Esplora shows it, the recipient's output first. */
const SHOWN = {
  txid: TXID,
  version: 2,
  vin: [
    {
      txid: SPENT,
      vout: 1,
      is_coinbase: false,
      sequence: 4_294_967_293,
      prevout: { scriptpubkey: PAYER, value: 10_106_300 },
    },
  ],
  vout: [
    {
      scriptpubkey: SCRIPT,
      scriptpubkey_type: 'p2pkh',
      scriptpubkey_address: '1Nb1ykSD7J5k4RFjJQGsrD9gxBE6jzfNa9',
      value: 175_000,
    },
    { scriptpubkey: '6a0468657921', scriptpubkey_type: 'op_return', value: 0 },
  ],
  status: { confirmed: true, block_height: 860_730, block_hash: BLOCK, block_time: AT },
};
/** As Blockbook shows the same. */
const NORMALISED = {
  txid: TXID,
  version: 2,
  vin: [
    {
      txid: SPENT,
      vout: 1,
      sequence: 4_294_967_293,
      n: 0,
      addresses: ['bc1qmgwnfjlda4ns3g6g3yz74w6scnn9yu2ts82yyc'],
      isAddress: true,
      value: '10106300',
    },
  ],
  vout: [
    {
      value: '175000',
      n: 0,
      hex: SCRIPT,
      addresses: ['1Nb1ykSD7J5k4RFjJQGsrD9gxBE6jzfNa9'],
      isAddress: true,
    },
    { value: '0', n: 1, hex: '6a0468657921', addresses: null, isAddress: false },
  ],
  blockHash: BLOCK,
  blockHeight: 860_730,
  confirmations: 1,
  blockTime: AT,
  value: '175000',
};
const READ = {
  txHash: TXID,
  inputs: [{ spends: { txHash: SPENT, index: 1 }, script: PAYER }],
  outputs: [
    { index: 0, script: SCRIPT, amount: 175_000n },
    { index: 1, script: '6a0468657921', amount: 0n },
  ],
  isHidden: false,
  block: { number: 860_730, hash: BLOCK, at: new Date(AT * 1_000) },
};
const NEW_COINS = [{ spends: null, script: null }];

describe('a transaction of Esplora', () => {
  const read = (shown: unknown): Promise<unknown> =>
    esploraOf(new Server({ [`/tx/${TXID}`]: shown })).transaction(TXID);
  const [output] = SHOWN.vout;
  const [input] = SHOWN.vin;

  it.each<[string, unknown, unknown]>([
    ['in a block', SHOWN, READ],
    ['in no block', { ...SHOWN, status: { confirmed: false } }, { ...READ, block: null }],
    [
      'in no block, with fields of null',
      { ...SHOWN, status: { confirmed: false, block_height: null, block_hash: null, block_time: null } },
      { ...READ, block: null },
    ],
    [
      'of new coins',
      { ...SHOWN, vin: [{ txid: '0'.repeat(64), vout: 4_294_967_295, is_coinbase: true, prevout: null }] },
      { ...READ, inputs: NEW_COINS },
    ],
    [
      'with all digits of an amount',
      JSON.stringify(SHOWN).replace('175000', '9007199254740993'),
      { ...READ, outputs: [{ ...READ.outputs[0], amount: 9_007_199_254_740_993n }, READ.outputs[1]] },
    ],
    [
      'with an output in an extension block',
      { ...SHOWN, vout: [output, { ismweb: true, output_id: 'ab' }] },
      { ...READ, isHidden: true, outputs: [READ.outputs[0], { index: 1, script: null, amount: 0n }] },
    ],
    ['with capitals', { ...SHOWN, txid: TXID.toUpperCase() }, READ],
    [
      'with 100,000 bytes of data in an output',
      { ...SHOWN, vout: [output, { scriptpubkey: `6a${'ab'.repeat(100_000)}`, value: 0 }] },
      { ...READ, outputs: [READ.outputs[0], { index: 1, script: `6a${'ab'.repeat(100_000)}`, amount: 0n }] },
    ],
  ])('%s is read for what it is', async (_what, shown, expected) => {
    expect(await read(shown)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['another transaction', { ...SHOWN, txid: SPENT }],
    ['a list', [SHOWN]],
    ['nothing', null],
    ['no outputs', { ...SHOWN, vout: null }],
    ['outputs that are none', { ...SHOWN, vout: [output, 7] }],
    ['a negative amount', { ...SHOWN, vout: [{ ...output, value: -1 }] }],
    ['a fraction', { ...SHOWN, vout: [{ ...output, value: 1.5 }] }],
    ['an amount with an exponent', JSON.stringify(SHOWN).replace('175000', '1e5')],
    ['an amount as a word', { ...SHOWN, vout: [{ ...output, value: '175000' }] }],
    ['an amount of 21 digits', JSON.stringify(SHOWN).replace('175000', '1'.repeat(21))],
    ['a script of half a byte', { ...SHOWN, vout: [{ ...output, scriptpubkey: 'abc' }] }],
    ['an input without its output', { ...SHOWN, vin: [{ ...input, prevout: null }] }],
    ['an input without a hash', { ...SHOWN, vin: [{ ...input, txid: 'ab' }] }],
    ['a fraction for a place', { ...SHOWN, vin: [{ ...input, vout: 0.5 }] }],
    ['no status', { ...SHOWN, status: null }],
    ['a status without a block', { ...SHOWN, status: { confirmed: true } }],
    ['a height below 0', { ...SHOWN, status: { ...SHOWN.status, block_height: -1 } }],
    ['a time past all dates', { ...SHOWN, status: { ...SHOWN.status, block_time: 9e15 } }],
    ['a block hash of another length', { ...SHOWN, status: { ...SHOWN.status, block_hash: 'ab' } }],
  ])('%s is unreadable', async (_what, shown) => {
    await expect(read(shown)).rejects.toMatchObject({ failure: 'rpc_error' });
  });
});

describe('Esplora', () => {
  it('has the newest block, which is read once', async () => {
    const block = { id: BLOCK, height: 860_730, timestamp: AT, mediantime: AT - 3_000 };
    const server = new Server({ '/blocks/tip/hash': `${BLOCK}\n`, [`/block/${BLOCK}`]: block });
    const esplora = esploraOf(server);
    await esplora.head();
    expect(await esplora.head()).toEqual(READ.block);
    expect(server.asked).toEqual([
      'GET /api/blocks/tip/hash',
      `GET /api/block/${BLOCK}`,
      'GET /api/blocks/tip/hash',
    ]);
  });

  it.each<[string, unknown]>([
    ['of another hash', { id: hashNo(1), height: 860_730, timestamp: AT }],
    ['without a height', { id: BLOCK, timestamp: AT }],
    ['without a time', { id: BLOCK, height: 860_730, timestamp: null }],
  ])('has no newest block %s', async (_what, block) => {
    const server = new Server({ '/blocks/tip/hash': BLOCK, [`/block/${BLOCK}`]: block });
    await expect(esploraOf(server).head()).rejects.toMatchObject({ failure: 'rpc_error' });
  });

  it('finds a block by its number, or says that there is none', async () => {
    const block = { id: BLOCK, height: 5, timestamp: AT };
    const esplora = esploraOf(
      new Server({ '/block-height/5': BLOCK, [`/block/${BLOCK}`]: block }, textOf(404, 'Block not found')),
    );
    expect(await esplora.blockHashAt(5)).toBe(BLOCK);
    expect(await esplora.blockAt(5)).toEqual({ ...READ.block, number: 5 });
    expect(await esplora.blockHashAt(6)).toBeNull();
    expect(await esplora.blockAt(6)).toBeNull();
  });

  it('lists the transactions of a script, 25 on a page', async () => {
    const all = Array.from({ length: 26 }, (_, at) => ({ ...SHOWN, txid: hashNo(at + 1) }));
    // The SHA-256 of the script, whose bytes are not turned round.
    const path = '/scripthash/b13bcbe56f5da10f5e7d4a88d8c0d9e4715123d84938ac440182f512b441b35f/txs/chain';
    const paged = esploraOf(
      new Server({ [path]: all.slice(0, 25), [`${path}/${hashNo(25)}`]: all.slice(25) }),
    );
    const first = await paged.historyOf(SCRIPT, null);
    expect([first.transactions.length, first.next]).toEqual([25, hashNo(25)]);
    const second = await paged.historyOf(SCRIPT, first.next);
    expect([second.transactions.map(({ txHash }) => txHash), second.next]).toEqual([[hashNo(26)], null]);
  });

  it.each<[string, unknown, string | null]>([
    ['by another', { spent: true, txid: TXID, vin: 0, status: { confirmed: true } }, TXID],
    ['by none', { spent: false }, null],
  ])('tells what an output is spent by: %s', async (_what, answer, spender) => {
    const server = new Server({ [`/tx/${SPENT}/outspend/1`]: answer });
    expect(await esploraOf(server).spenderOf({ txHash: SPENT, index: 1 })).toBe(spender);
  });
});

describe('a transaction of Blockbook', () => {
  const read = (shown: unknown, chainId = BITCOIN): Promise<unknown> =>
    blockbookOf(new Server({ [`/api/v2/tx/${TXID}`]: shown }, undefined, '/'), chainId).transaction(TXID);
  const [output, data] = NORMALISED.vout;
  const { blockHash: _hash, ...waiting } = { ...NORMALISED, blockHeight: -1, confirmations: 0, rbf: true };

  it.each<[string, unknown, unknown]>([
    ['in a block', NORMALISED, READ],
    ['in no block', waiting, { ...READ, block: null }],
    [
      'with what is 0 or empty left out',
      {
        ...NORMALISED,
        vin: [{ txid: SPENT, n: 0, isAddress: false }],
        vout: [output, { n: 1, hex: '6a0468657921', isAddress: false }],
      },
      { ...READ, inputs: [{ spends: { txHash: SPENT, index: 0 }, script: null }] },
    ],
    [
      'of new coins',
      { ...NORMALISED, vin: [{ n: 0, isAddress: false, coinbase: '03ab', value: '0' }] },
      { ...READ, inputs: NEW_COINS },
    ],
    [
      'with an address in place of a script',
      { ...NORMALISED, vout: [{ ...output, hex: undefined }, data] },
      READ,
    ],
  ])('%s is read for what it is', async (_what, shown, expected) => {
    expect(await read(shown)).toEqual(expected);
  });

  it('has more Dogecoins than a JavaScript number holds', async () => {
    const vout = [{ ...output, value: '9007199254740993' }, data];
    expect(await read({ ...NORMALISED, vout }, DOGECOIN)).toMatchObject({
      outputs: [{ amount: 9_007_199_254_740_993n }, {}],
    });
  });

  it.each<[string, unknown]>([
    ['another transaction', { ...NORMALISED, txid: SPENT }],
    ['a number as an amount', { ...NORMALISED, vout: [{ ...output, value: 175_000 }] }],
    ['a negative amount', { ...NORMALISED, vout: [{ ...output, value: '-1' }] }],
    ['a fraction', { ...NORMALISED, vout: [{ ...output, value: '1.5' }] }],
    ['outputs in another order', { ...NORMALISED, vout: [data, output] }],
    ['an output too few', { ...NORMALISED, vout: [data] }],
    ['a height without a block', { ...NORMALISED, blockHash: undefined }],
    ['a block without a height', { ...NORMALISED, blockHeight: -1 }],
    ['an input without a hash', { ...NORMALISED, vin: [{ txid: 7 }] }],
    ['no inputs', { ...NORMALISED, vin: undefined }],
    ['a list', [NORMALISED]],
  ])('%s is unreadable', async (_what, shown) => {
    await expect(read(shown)).rejects.toMatchObject({ failure: 'rpc_error' });
  });
});

describe('Blockbook', () => {
  const STATUS = {
    blockbook: {
      coin: 'Bitcoin',
      bestHeight: 860_730,
      lastBlockTime: '2024-09-10T08:18:08.471017534Z',
      inSync: true,
    },
    backend: { bestBlockHash: BLOCK },
  };
  const answering = (answers: Readonly<Record<string, unknown>>, otherwise?: Partial<Exchanged>): Blockbook =>
    blockbookOf(new Server(answers, otherwise, '/'));
  const ADDRESS = '/api/v2/address/1Nb1ykSD7J5k4RFjJQGsrD9gxBE6jzfNa9?details=txs&page=';
  const pageOf = (page: number, totalPages: number, transactions: unknown) => ({
    page,
    totalPages,
    address: 'x',
    transactions,
  });

  it('has the newest block', async () => {
    const head = await answering({ '/api/status': STATUS }).head();
    expect(head).toEqual({ number: 860_730, hash: BLOCK, at: new Date('2024-09-10T08:18:08.471Z') });
  });

  it.each<[string, unknown, string]>([
    [
      'of another coin',
      { ...STATUS, blockbook: { ...STATUS.blockbook, coin: 'Bcash\u0007' } },
      'wrong_chain',
    ],
    ['without a height', { ...STATUS, blockbook: { ...STATUS.blockbook, bestHeight: '5' } }, 'rpc_error'],
    ['without a time', { ...STATUS, blockbook: { ...STATUS.blockbook, lastBlockTime: null } }, 'rpc_error'],
    ['without a status', [], 'rpc_error'],
  ])('has no newest block %s', async (_what, status, failure) => {
    await expect(answering({ '/api/status': status }).head()).rejects.toMatchObject({ failure });
  });

  it('finds a block by its number, or says that there is none', async () => {
    const answers = {
      '/api/v2/block-index/5': { blockHash: BLOCK },
      '/api/v2/block-index/6': { blockHash: '' },
      '/api/v2/block/5?page=1000000': { hash: BLOCK, height: 5, time: AT, txs: [] },
      '/api/v2/block/7?page=1000000': { hash: BLOCK, height: 5, time: AT },
    };
    const blockbook = answering(answers, textOf(400, '{"error":"Block not found"}'));
    expect(await blockbook.blockHashAt(5)).toBe(BLOCK);
    expect(await blockbook.blockHashAt(6)).toBeNull();
    expect(await blockbook.blockAt(5)).toEqual({ ...READ.block, number: 5 });
    expect(await blockbook.blockAt(6)).toBeNull();
    await expect(blockbook.blockAt(7)).rejects.toMatchObject({ failure: 'rpc_error' });
  });

  it.each<[string, string | null, unknown, number, string | null]>([
    ['the first of two pages', null, pageOf(1, 2, [NORMALISED]), 1, '2'],
    ['the last page', '2', pageOf(2, 2, [NORMALISED]), 1, null],
    ['the last page instead of one after it', '3', pageOf(2, 2, [NORMALISED]), 0, null],
    ['pages without a count', null, pageOf(1, -1, [NORMALISED]), 1, '2'],
    ['no transactions', null, pageOf(1, 1, undefined), 0, null],
    [
      'one that waits',
      null,
      pageOf(1, 2, [{ ...NORMALISED, blockHash: undefined, blockHeight: -1 }, NORMALISED]),
      1,
      '2',
    ],
  ])('lists the transactions of a script: %s', async (_what, page, answer, count, next) => {
    const history = await answering({ [`${ADDRESS}${page ?? 1}&pageSize=25`]: answer }).historyOf(
      SCRIPT,
      page,
    );
    expect([history.transactions.length, history.next]).toEqual([count, next]);
  });

  it('lists nothing of a script without an address', async () => {
    expect(await answering({}).historyOf('6a00', null)).toEqual({ transactions: [], next: null });
  });

  it.each<[string, object, string | null]>([
    ['by another', { spent: true, spentTxId: SPENT, spentHeight: 9 }, SPENT],
    ['by one that it cannot tell', { spent: true }, null],
    ['by none', {}, null],
  ])('tells what an output is spent by: %s', async (_what, more, spender) => {
    const vout = [{ ...NORMALISED.vout[0], ...more }, NORMALISED.vout[1]];
    const blockbook = answering({ [`/api/v2/tx/${TXID}?spending=true`]: { ...NORMALISED, vout } });
    expect(await blockbook.spenderOf({ txHash: TXID, index: 0 })).toBe(spender);
  });
});

function textOf(status: number, text: string): Partial<Exchanged> {
  return { status, body: Buffer.from(text) };
}

describe('an answer of an HTTP interface', () => {
  it.each<[string, string, Partial<Exchanged>, string]>([
    ['that the transaction is unknown', '/tx', textOf(404, 'Transaction not found'), 'null, answered'],
    [
      'that it is unknown, in JSON',
      '/tx',
      textOf(400, `{"error":"Transaction '${TXID}' not found"}`),
      'null, answered',
    ],
    [
      'that it is in no pool',
      '/tx',
      textOf(400, '{"error":"-5: No such mempool or blockchain transaction."}'),
      'null, answered',
    ],
    ['of a gateway without the path', '/tx', textOf(404, '404 page not found'), 'rpc_away, away'],
    ['of a gateway in HTML', '/tx', textOf(404, '<html>Transaction not found</html>'), 'rpc_away, away'],
    ['of a gateway without the key', '/tx', textOf(400, '{"error":"Invalid API key"}'), 'rpc_away, away'],
    ['that is long', '/tx', textOf(404, `Transaction not found${' '.repeat(1_000)}`), 'rpc_away, away'],
    ['of a wrong hash', '/tx', textOf(400, 'Invalid hex string'), 'rpc_away, away'],
    ['of a server in trouble', '/tx', textOf(503, 'Transaction not found'), 'rpc_away, away'],
    ['elsewhere', '/tx', textOf(301, ''), 'rpc_away, away'],
    ['of a page in place of JSON', '/tx', textOf(200, '<html></html>'), 'rpc_error, answered'],
    ['with bytes that are no text', '/tx', { status: 200, body: Buffer.from([0xff]) }, 'rpc_away, away'],
    ['too deep', '/tx', textOf(200, '['.repeat(17) + ']'.repeat(17)), 'rpc_away, away'],
    ['of too many values', '/tx', textOf(200, `[${'0,'.repeat(200_001)}0]`), 'rpc_error, answered'],
    ['with too many transactions', '/tx', textOf(400, 'Too many history entries'), 'rpc_error, answered'],
  ])('%s', async (_what, _path, answer, expected) => {
    const server = new Server({}, answer);
    const said = await esploraOf(server)
      .transaction(TXID)
      .catch((error: unknown) => (error as RpcTrouble).failure);
    expect(`${JSON.stringify(said)?.replaceAll('"', '')}, ${server.counted.join()}`).toBe(expected);
  });

  it.each([
    ['/', `GET /api/v2/tx/${TXID}`],
    ['/key/', `GET /key/api/v2/tx/${TXID}`],
    ['/key/api', `GET /key/api/v2/tx/${TXID}`],
    ['/key/api/v2/?k=1', `GET /key/api/v2/tx/${TXID}?k=1`],
  ])('comes from below the path %s of its URL', async (path, asked) => {
    const server = new Server({}, undefined, path);
    await blockbookOf(server).transaction(TXID);
    expect(server.asked).toEqual([asked]);
  });

  it('has the query of its URL behind its own', async () => {
    const server = new Server({}, undefined, '/key?k=1');
    await blockbookOf(server).spenderOf({ txHash: TXID, index: 0 });
    expect(server.asked).toEqual([`GET /key/api/v2/tx/${TXID}?spending=true&k=1`]);
  });
});
