import { addressOf, BITCOIN, BITCOIN_CASH, DOGECOIN, LITECOIN, scriptOf } from './addresses.ts';
import { type Answer, type Asked, json } from './answer.ts';
import type { Placed, ViewedBlock, ViewedInput, ViewedOutput } from './chain-view.ts';

const HASH = /^[\da-f]{64}$/i;
const PAGE = 1_000;
const COINS: Readonly<Record<number, readonly [name: string, short: string]>> = {
  [BITCOIN]: ['Bitcoin', 'BTC'],
  [LITECOIN]: ['Litecoin', 'LTC'],
  [DOGECOIN]: ['Dogecoin', 'DOGE'],
  [BITCOIN_CASH]: ['Bcash', 'BCH'],
};
const ADDRESS_WORDS = new Set(['details', 'from', 'to', 'page', 'pageSize']);

/** The answer of a server that speaks Blockbook; null: nothing documents the question. */
export function blockbook(asked: Asked): Answer | null {
  const [of = '', id = '', ...more] = asked.path
    .replace(/^\/api(?:\/v2)?(?=\/|$)/, '')
    .split('/')
    .slice(1);
  const isStatus = /^\/api\/(?:status|v2)$/.test(asked.path);
  if (isStatus) return json(200, statusOf(asked));
  if (more.length > 0 || !asked.path.startsWith('/api/v2/')) return null;
  if (of === 'tx') return ofTransaction(asked, id);
  if (of === 'address') return ofAddress(asked, id);
  if (of === 'block' && [...asked.query.keys()].every((word) => word === 'page')) return ofBlock(asked, id);
  if (asked.query.size > 0) return null;
  if (of !== 'block-index' || !/^\d*$/.test(id)) return null;
  const { view, known } = asked;
  // A height that the chain has not reached has an empty hash.
  const hash = id === '' ? view.tip.hash : (known.get(Number(id)) ?? view.blocks[Number(id)]?.hash ?? '');
  return json(200, { blockHash: hash });
}

function statusOf({ view, chainId }: Asked): object {
  const { height, hash, time } = view.tip;
  const [coin = '', coinShortcut = ''] = COINS[chainId] ?? [];
  return {
    blockbook: {
      coin,
      coinShortcut,
      host: 'blockbook',
      version: '0.4.0',
      syncMode: true,
      initialSync: false,
      inSync: true,
      bestHeight: height,
      lastBlockTime: new Date(time * 1_000).toISOString(),
      inSyncMempool: true,
      mempoolSize: view.pool.length,
      decimals: 8,
      dbSize: 1,
    },
    backend: { chain: 'main', blocks: height, headers: height, bestBlockHash: hash, difficulty: '1' },
  };
}

function ofTransaction(asked: Asked, txid: string): Answer | null {
  const spending = asked.query.get('spending');
  if (asked.query.size > (spending === null ? 0 : 1)) return null;
  const placed = asked.view.placed(txid);
  if (!HASH.test(txid) || placed === null) return refused(`Transaction '${txid}' not found`);
  return json(200, shown(asked, placed, spending === 'true'));
}

/** Counts the pages like the server: after the last page, the last page comes again. */
function ofAddress(asked: Asked, address: string): Answer | null {
  const { query, view, chainId } = asked;
  if ([...query.keys()].some((word) => !ADDRESS_WORDS.has(word)) || query.get('details') !== 'txs')
    return null;
  const script = scriptOf(chainId, decodeURIComponent(address));
  if (script === null) return refused(`Invalid address '${address}', checksum mismatch`);
  const [from, to] = [numberOf(query, 'from'), numberOf(query, 'to')];
  const size = Math.min(numberOf(query, 'pageSize') || PAGE, PAGE);
  const all = view.ofScript(script);
  const mined = all.filter(
    ({ block }) => block !== null && block.height >= from && (to === 0 || block.height <= to),
  );
  const asksAll = from === 0 && to === 0;
  const asked0 = Math.max(numberOf(query, 'page') - 1, 0);
  const read = mined.slice(0, (asked0 + 1) * size);
  const last = Math.max(Math.ceil(read.length / size) - 1, 0);
  const page = asked0 * size >= read.length ? last : asked0;
  const waiting = asked0 === 0 && to === 0 ? all.filter(({ block }) => block === null) : [];
  const transactions = [...waiting, ...read.slice(page * size, (page + 1) * size)];
  return json(200, {
    page: page + 1,
    totalPages: read.length < size ? 1 : asksAll ? Math.ceil(mined.length / size) : -1,
    itemsOnPage: size,
    address,
    balance: '0',
    totalReceived: '0',
    totalSent: '0',
    unconfirmedBalance: '0',
    unconfirmedTxs: all.filter(({ block }) => block === null).length,
    txs: all.filter(({ block }) => block !== null).length,
    ...(transactions.length === 0
      ? {}
      : { transactions: transactions.map((each) => shown(asked, each, false)) }),
  });
}

function ofBlock(asked: Asked, id: string): Answer {
  const { view, leftBlock } = asked;
  const height = /^\d{1,9}$/.test(id) ? Number(id) : null;
  const block = height === null ? (view.blockOf(id) ?? leftBlock) : (view.blocks[height] ?? null);
  if (block === null) return refused('Block not found');
  const isIn = view.blocks[block.height]?.hash === block.hash;
  return json(200, {
    page: 1,
    totalPages: 1,
    itemsOnPage: PAGE,
    hash: block.hash,
    ...(block.previous === null ? {} : { previousBlockHash: block.previous }),
    height: block.height,
    confirmations: isIn ? view.tip.height - block.height + 1 : -1,
    size: 1,
    time: block.time,
    version: '536870912',
    merkleRoot: '',
    nonce: '0',
    bits: '207fffff',
    difficulty: '1',
    txCount: block.transactions.length,
    txs: block.transactions.map((transaction) =>
      shown(asked, { transaction, block: isIn ? block : null }, false),
    ),
  });
}

function shown(asked: Asked, { transaction, block }: Placed, withSpenders: boolean): object {
  const { txid, version, locktime, inputs, outputs, size, hex } = transaction;
  return {
    txid,
    version,
    ...(locktime === 0 ? {} : { lockTime: locktime }),
    vin: inputs.map((input, n) => shownInput(asked, input, n)),
    vout: outputs.map((output) => shownOutput(asked, txid, output, withSpenders)),
    ...placeOf(asked, inputs, block),
    size,
    vsize: size,
    value: '1',
    valueIn: '1',
    fees: '1',
    hex,
  };
}

function placeOf({ view }: Asked, inputs: readonly ViewedInput[], block: ViewedBlock | null): object {
  if (block !== null) {
    const { hash, height, time } = block;
    const confirmations = view.tip.height - height + 1;
    return { blockHash: hash, blockHeight: height, confirmations, blockTime: time };
  }
  const isReplaceable = inputs.some(({ sequence }) => sequence < 0xffff_fffe);
  // When this server first saw the transaction.
  const seenAt = Math.floor(Date.now() / 1_000);
  return { blockHeight: -1, confirmations: 0, blockTime: seenAt, ...(isReplaceable ? { rbf: true } : {}) };
}

/** Zeros and empty texts are left out. */
function shownInput(asked: Asked, input: ViewedInput, n: number): object {
  if (input.coinbase !== null)
    return { sequence: input.sequence, n, isAddress: false, coinbase: input.coinbase };
  const { txid, vout, sequence, scriptSig } = input;
  const spent = asked.view.spentBy(input);
  const address = spent === null ? null : addressOf(asked.chainId, spent.script);
  return {
    txid,
    ...(vout === 0 ? {} : { vout }),
    sequence,
    n,
    ...(address === null ? { isAddress: false } : { addresses: [address], isAddress: true }),
    ...(spent === null ? {} : { value: String(asked.values.get(`${txid}:${vout}`) ?? spent.value) }),
    ...(scriptSig === '' ? {} : { hex: scriptSig }),
  };
}

function shownOutput(
  asked: Asked,
  txid: string,
  { n, script, value }: ViewedOutput,
  withSpender: boolean,
): object {
  const address = addressOf(asked.chainId, script);
  const found = asked.view.spenderOf(txid, n);
  const spender = found?.block === null ? null : found;
  const more = { spentTxId: spender?.transaction.txid, spentHeight: spender?.block?.height };
  return {
    value: String(asked.values.get(`${txid}:${n}`) ?? value),
    n,
    ...(spender === null ? {} : { spent: true }),
    ...(spender === null || !withSpender
      ? {}
      : { ...more, ...(spender.input === 0 ? {} : { spentIndex: spender.input }) }),
    hex: script,
    ...(address === null ? { addresses: null, isAddress: false } : { addresses: [address], isAddress: true }),
  };
}

function refused(error: string): Answer {
  return json(400, { error });
}

function numberOf(query: URLSearchParams, word: string): number {
  return Number(query.get(word) ?? 0) || 0;
}
