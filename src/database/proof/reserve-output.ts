import { addressKey } from '../../domain/chains/address-key.ts';
import { tokenKey } from '../../domain/proof/deposits.ts';
import { outputKey, type SeenTransfer } from '../../domain/proof/output.ts';
import type { Candidates, OutputPlace, Reserved } from '../../ports/proofs.ts';
import type { Queries } from '../../ports/queries.ts';

/** In the place of a log index: the native coin, and what contracts brought of it in a block. */
const NATIVE = -1;
const OF_CONTRACTS = -2;

/**
 * Reserves the first candidate that proves no other payment, in the transaction that stores the proof: two payments that want
 * one transfer wait for each other here. A payment whose provider names the transaction takes it over from a payment that was
 * only found by a search, and that is inspected again.
 */
export async function reserveOutput(
  queries: Queries,
  paymentId: string,
  candidates: Candidates,
): Promise<Reserved> {
  const { place, transfers, isNamed } = candidates;
  const [nearest] = transfers;
  if (place === null || nearest === undefined) return { transfer: null, heldBy: null };
  // Before any row: who waits for the lock then holds up no other payment.
  if (transfers.some(({ income }) => income !== undefined)) await lockWallet(queries, place);
  // A transaction that was mined again may have another log index.
  const given = await queries.query<Held>(RELEASE, [paymentId]);
  const refused: SeenTransfer[] = [];
  for (const transfer of [...transfers].sort((one, other) => rank(given, one) - rank(given, other))) {
    if (!(await isLeft(queries, place, transfer))) continue;
    const row = rowOf(place, transfer);
    const key = [row.chainId, row.txHash, row.logIndex];
    const rest = [row.blockHash, paymentId, isNamed, row.recipient, row.token, row.taken];
    if ((await queries.query(RESERVE, [...key, ...rest])).length > 0) return { transfer, heldBy: null };
    if (isNamed && (await queries.query(TAKE_OVER, [...key, row.blockHash, paymentId, row.taken])).length > 0)
      return { transfer, heldBy: null };
    refused.push(transfer);
  }
  const { chainId, txHash, logIndex } = rowOf(place, nearest);
  const [holder] = await queries.query<{ quote_id: string }>(HOLDER, [chainId, txHash, logIndex]);
  // Its holder has just let it go.
  if (holder === undefined && refused.includes(nearest)) return reserveOutput(queries, paymentId, candidates);
  return { transfer: null, heldBy: holder?.quote_id ?? null };
}

export async function releaseOutput(queries: Queries, paymentId: string): Promise<void> {
  await queries.query(RELEASE, [paymentId]);
}

/** The keys of transfers to a recipient that other payments have taken since a time. */
export async function takenOutputs(
  queries: Queries,
  paymentId: string,
  { chainId, recipient, token }: OutputPlace,
  since: Date,
): Promise<ReadonlySet<string>> {
  const rows = await queries.query<Held>(TAKEN, [
    chainId,
    addressKey(recipient),
    tokenKey(token),
    since,
    paymentId,
  ]);
  return new Set(rows.map(({ tx_hash, log_index }) => outputKey({ txHash: tx_hash, logIndex: log_index })));
}

interface Held {
  readonly tx_hash: string;
  readonly log_index: number;
}

/** The transfer that proved the payment before comes first, and the others keep their order. */
function rank(given: readonly Held[], transfer: SeenTransfer): number {
  return given.some(
    ({ tx_hash, log_index }) => tx_hash === transfer.txHash && log_index === indexOf(transfer),
  )
    ? 0
    : 1;
}

function indexOf({ logIndex, byBalance }: SeenTransfer): number {
  return byBalance === true ? OF_CONTRACTS : (logIndex ?? NATIVE);
}

function rowOf({ chainId, recipient, token, leastAmount }: OutputPlace, transfer: SeenTransfer) {
  return {
    chainId,
    txHash: transfer.txHash,
    logIndex: indexOf(transfer),
    blockHash: transfer.blockHash,
    recipient: addressKey(recipient),
    token: tokenKey(token),
    taken: leastAmount.toString(),
  };
}

/** Two payments that take of one income wait for each other. */
async function lockWallet(queries: Queries, { chainId, recipient, token }: OutputPlace): Promise<void> {
  await queries.query(LOCK_WALLET, [[chainId, addressKey(recipient), tokenKey(token)].join(' ')]);
}

/** False: what other payments have left of the income is too little. */
async function isLeft(queries: Queries, place: OutputPlace, transfer: SeenTransfer): Promise<boolean> {
  const { income } = transfer;
  if (income === undefined) return true;
  const { chainId, txHash, logIndex, blockHash, recipient, token, taken } = rowOf(place, transfer);
  const isOfBlock = logIndex === OF_CONTRACTS;
  const [row] = await queries.query<{ is_left: boolean }>(isOfBlock ? LEFT_OF_BLOCK : LEFT_OF_TRANSACTION, [
    chainId,
    recipient,
    token,
    isOfBlock ? blockHash : txHash,
    income.toString(),
    taken,
  ]);
  return row?.is_left === true;
}

/** The condition of the unique index. */
const IS_OF_ONE = `log_index > ${OF_CONTRACTS}`;

const RELEASE = `DELETE FROM proven_output WHERE payment_id = $1 RETURNING tx_hash, log_index`;

const RESERVE = `
  INSERT INTO proven_output (chain_id, tx_hash, log_index, block_hash, payment_id, is_named, recipient, token, taken)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT DO NOTHING RETURNING 1`;

const TAKE_OVER = `
  WITH found AS (
    SELECT payment_id FROM proven_output
    WHERE chain_id = $1 AND tx_hash = $2 AND log_index = $3 AND ${IS_OF_ONE} AND NOT is_named FOR UPDATE
  ), again AS (
    UPDATE payment_proof f SET due_at = now(), token = f.token + 1, state = 'pending', proven_by = NULL,
      lost_to = (SELECT quote_id FROM payment WHERE id = $5)
    FROM found WHERE f.payment_id = found.payment_id
  )
  UPDATE proven_output o SET payment_id = $5, block_hash = $4, taken = $6, is_named = true, reserved_at = now()
  FROM found WHERE o.payment_id = found.payment_id
  RETURNING 1`;

const HOLDER = `
  SELECT p.quote_id FROM proven_output o JOIN payment p ON p.id = o.payment_id
  WHERE o.chain_id = $1 AND o.tx_hash = $2 AND o.log_index = $3 AND ${IS_OF_ONE}`;

const TAKEN = `
  SELECT tx_hash, log_index FROM proven_output
  WHERE chain_id = $1 AND recipient = $2 AND token = $3 AND reserved_at >= $4 AND payment_id <> $5`;

const LOCK_WALLET = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`;

function leftOf(where: string): string {
  return `
    SELECT $5::numeric - coalesce(sum(taken), 0) >= $6::numeric AS is_left FROM proven_output
    WHERE chain_id = $1 AND recipient = $2 AND token = $3 AND ${where}`;
}

const LEFT_OF_BLOCK = leftOf(`block_hash = $4 AND log_index = ${OF_CONTRACTS}`);
const LEFT_OF_TRANSACTION = leftOf(`tx_hash = $4 AND ${IS_OF_ONE}`);
