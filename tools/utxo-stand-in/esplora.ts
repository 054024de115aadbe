import { createHash } from 'node:crypto';

import { addressOf, scriptOf } from './addresses.ts';
import { type Answer, type Asked, json, text } from './answer.ts';
import type { ChainView, Placed, ViewedBlock, ViewedInput, ViewedOutput } from './chain-view.ts';

const PAGE = 25;
const POOL_PAGE = 50;
const HASH = /^[\da-f]{64}$/i;
const NO_TRANSACTION = text(404, 'Transaction not found');
const NO_BLOCK = text(404, 'Block not found');
const NO_HEX = text(400, 'Invalid hex string');

/** The answer of a server that speaks Esplora; null: nothing documents the question. */
export function esplora(asked: Asked): Answer | null {
  const [of = '', id = '', ...more] = asked.path.split('/').slice(1);
  if ([...asked.query.keys()].length > 0) return null;
  if (of === 'tx') return ofTransaction(asked, id, more);
  if (of === 'address' || of === 'scripthash') return ofScript(asked, of, id, more);
  if (of === 'block') return ofBlock(asked, id, more);
  const { tip } = asked.view;
  if (asked.path === '/blocks/tip/height') return text(200, String(tip.height));
  if (asked.path === '/blocks/tip/hash') return text(200, tip.hash);
  if (of !== 'block-height' || more.length > 0 || !/^\d+$/.test(id)) return null;
  const hash = asked.known.get(Number(id)) ?? asked.view.blocks[Number(id)]?.hash;
  return hash === undefined ? NO_BLOCK : text(200, hash);
}

function ofTransaction(asked: Asked, txid: string, more: readonly string[]): Answer | null {
  if (!HASH.test(txid)) return NO_HEX;
  const placed = asked.view.placed(txid.toLowerCase());
  if (more.length === 0) return placed === null ? NO_TRANSACTION : json(200, shown(asked, placed));
  const [word, vout = ''] = more;
  // The server answers "unspent" for an output that it does not have.
  if (word === 'outspend' && /^\d+$/.test(vout) && more.length === 2)
    return json(200, spending(asked.view, txid, Number(vout)));
  if (word !== 'outspends' || more.length > 1) return null;
  if (placed === null) return NO_TRANSACTION;
  return json(
    200,
    placed.transaction.outputs.map(({ n }) => spending(asked.view, placed.transaction.txid, n)),
  );
}

function spending(view: ChainView, txid: string, vout: number): object {
  const spender = view.spenderOf(txid, vout);
  if (spender === null) return { spent: false };
  const { transaction, input, block } = spender;
  return { spent: true, txid: transaction.txid, vin: input, status: status(block) };
}

function ofScript(asked: Asked, of: string, id: string, more: readonly string[]): Answer | null {
  const [txs, which = 'both', last] = more;
  if (txs !== 'txs' || more.length > 3 || (last !== undefined && which !== 'chain')) return null;
  const script = of === 'address' ? scriptOf(asked.chainId, id) : null;
  if (of === 'address' && script === null) return text(400, 'Invalid Bitcoin address');
  if (of === 'scripthash' && !HASH.test(id)) return NO_HEX;
  const all = script === null ? ofHash(asked.view, id) : asked.view.ofScript(script);
  const waiting = all.filter(({ block }) => block === null).slice(0, POOL_PAGE);
  const mined = all.filter(({ block }) => block !== null);
  // An unknown transaction begins the history anew.
  const from = last === undefined ? 0 : mined.findIndex(({ transaction }) => transaction.txid === last) + 1;
  const pages: Readonly<Record<string, readonly Placed[]>> = {
    chain: mined.slice(from, from + PAGE),
    mempool: waiting,
    both: [...waiting, ...mined.slice(0, PAGE)],
  };
  const page = pages[which];
  return page === undefined
    ? null
    : json(
        200,
        page.map((placed) => shown(asked, placed)),
      );
}

/** Returns only part of the history: the hash does not identify a script that no output has. */
function ofHash(view: ChainView, hash: string): Placed[] {
  const outputs = [...view.blocks.flatMap(({ transactions }) => transactions), ...view.pool].flatMap(
    (transaction) => transaction.outputs,
  );
  const found = outputs.find(
    ({ script }) => createHash('sha256').update(Buffer.from(script, 'hex')).digest('hex') === hash,
  );
  return found === undefined ? [] : view.ofScript(found.script);
}

function ofBlock({ view }: Asked, hash: string, more: readonly string[]): Answer | null {
  if (!HASH.test(hash)) return NO_HEX;
  const block = view.blockOf(hash);
  if (more.length === 1 && more[0] === 'status') {
    const next = block === null ? undefined : view.blocks[block.height + 1];
    if (block === null) return json(200, { in_best_chain: false, height: null, next_best: null });
    return json(200, { in_best_chain: true, height: block.height, next_best: next?.hash ?? null });
  }
  if (more.length > 0) return null;
  if (block === null) return NO_BLOCK;
  const { height, time, mediantime, previous, transactions } = block;
  return json(200, {
    id: block.hash,
    height,
    version: 536_870_912,
    timestamp: time,
    mediantime,
    tx_count: transactions.length,
    size: 0,
    weight: 0,
    merkle_root: '',
    previousblockhash: previous,
    nonce: 0,
    bits: 545_259_519,
    difficulty: 0,
  });
}

function shown(asked: Asked, { transaction, block }: Placed): object {
  const { txid, version, locktime, inputs, outputs, size, weight } = transaction;
  return {
    txid,
    version,
    locktime,
    vin: inputs.map((input) => shownInput(asked, input)),
    vout: outputs.map((output) => shownOutput(asked, txid, output)),
    size,
    weight,
    fee: 0,
    status: status(block),
  };
}

function shownInput(asked: Asked, input: ViewedInput): object {
  const { txid, vout, sequence, scriptSig, witness, coinbase } = input;
  const spent = asked.view.spentBy(input);
  return {
    txid,
    vout,
    prevout: spent === null ? null : shownOutput(asked, txid, spent),
    scriptsig: coinbase ?? scriptSig,
    scriptsig_asm: '',
    is_coinbase: coinbase !== null,
    sequence,
    ...(witness.length === 0 ? {} : { witness }),
  };
}

function shownOutput({ chainId, values }: Asked, txid: string, { n, script, value }: ViewedOutput): object {
  const address = addressOf(chainId, script);
  return {
    scriptpubkey: script,
    scriptpubkey_asm: '',
    scriptpubkey_type: typeOf(script),
    ...(address === null ? {} : { scriptpubkey_address: address }),
    value: values.get(`${txid}:${n}`) ?? value,
  };
}

function typeOf(script: string): string {
  if (script.startsWith('0014')) return 'v0_p2wpkh';
  if (script.startsWith('0020')) return 'v0_p2wsh';
  if (script.startsWith('5120')) return 'v1_p2tr';
  if (script.startsWith('6a')) return 'op_return';
  if (script.startsWith('a914')) return 'p2sh';
  return script.startsWith('76a914') ? 'p2pkh' : 'unknown';
}

function status(block: ViewedBlock | null): object {
  if (block === null) return { confirmed: false };
  return { confirmed: true, block_height: block.height, block_hash: block.hash, block_time: block.time };
}
