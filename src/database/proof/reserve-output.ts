import { addressKey } from '../../domain/chains/address-key.ts';
import { tokenKey } from '../../domain/proof/deposits.ts';
import { outputKey, type SeenTransfer } from '../../domain/proof/output.ts';
import type { Candidates, OutputPlace, Reserved } from '../../ports/proofs.ts';
import type { Queries } from '../../ports/queries.ts';

/** These stand in place of an ordinal: a transfer of the native coin, and the amount that contracts paid in one block. */
const NATIVE = -1;
const OF_CONTRACTS = -2;

/**
 * Reserves the first candidate that proves no other payment, in the transaction that stores the proof. Two payments that want
 * one transfer wait for each other here. A payment whose provider names the transaction takes it over from a payment whose
 * search found it; that payment is inspected again.
 */
export async function reserveOutput(
  queries: Queries,
  paymentId: string,
  candidates: Candidates,
): Promise<Reserved> {
  const { place, transfers, isNamed } = candidates;
  const [nearest] = transfers;
  if (place === null || nearest === undefined) return { transfer: null, heldBy: null };
  // Locked before any row: a caller that waits for the lock then delays no other payment.
  if (transfers.some(({ income }) => income !== undefined)) await lockWallet(queries, place);
  const given = await queries.query<Held>(RELEASE, [paymentId]);
  const refused: SeenTransfer[] = [];
  for (const transfer of [...transfers].sort((one, other) => rank(given, one) - rank(given, other))) {
    const row = rowOf(place, transfer);
    if (!(await isLeft(queries, row, transfer, isNamed))) continue;
    const reserved = [...keyOf(row), row.blockHash, paymentId, row.taken];
    if ((await queries.query(RESERVE, [...reserved, isNamed])).length > 0) return { transfer, heldBy: null };
    if (isNamed && (await takeOver(queries, row, reserved))) return { transfer, heldBy: null };
    refused.push(transfer);
  }
  const [holder] = await queries.query<{ quote_id: string }>(HOLDER, keyOf(rowOf(place, nearest)));
  // The payment that held the transfer has just released it.
  if (holder === undefined && refused.includes(nearest)) return reserveOutput(queries, paymentId, candidates);
  return { transfer: null, heldBy: holder?.quote_id ?? null };
}

/** False: the payment that has the transfer keeps it. */
async function takeOver(queries: Queries, row: Row, reserved: readonly unknown[]): Promise<boolean> {
  while ((await queries.query(TAKE_OVER, reserved)).length === 0)
    // The payment that found the transfer may have reserved it anew while the statement waited for its row.
    if ((await queries.query(IS_FOUND, keyOf(row))).length === 0) return false;
  return true;
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
  return new Set(rows.map(({ tx_hash, ordinal }) => outputKey({ txHash: tx_hash, logIndex: null, ordinal })));
}

interface Held {
  readonly tx_hash: string;
  readonly ordinal: number;
}

/** Puts the transfer that proved this payment before at the beginning; the others keep their order. */
function rank(given: readonly Held[], transfer: SeenTransfer): number {
  return given.some(({ tx_hash, ordinal }) => tx_hash === transfer.txHash && ordinal === ordinalOf(transfer))
    ? 0
    : 1;
}

function ordinalOf({ ordinal, logIndex, byBalance }: SeenTransfer): number {
  return byBalance === true ? OF_CONTRACTS : (ordinal ?? logIndex ?? NATIVE);
}

interface Row {
  readonly chainId: number;
  readonly txHash: string;
  readonly recipient: string;
  readonly token: string;
  readonly ordinal: number;
  readonly blockHash: string;
  readonly taken: string;
}

/** The parameters that identify a transfer in each statement. */
function keyOf({
  chainId,
  txHash,
  recipient,
  token,
  ordinal,
}: Row): readonly [number, string, string, string, number] {
  return [chainId, txHash, recipient, token, ordinal];
}

function rowOf({ chainId, recipient, token, leastAmount }: OutputPlace, transfer: SeenTransfer): Row {
  return {
    chainId,
    txHash: transfer.txHash,
    ordinal: ordinalOf(transfer),
    blockHash: transfer.blockHash,
    recipient: addressKey(recipient),
    token: tokenKey(token),
    taken: leastAmount.toString(),
  };
}

/** Makes payments that take from one income wait for each other. */
async function lockWallet(queries: Queries, { chainId, recipient, token }: OutputPlace): Promise<void> {
  await queries.query(LOCK_WALLET, [[chainId, addressKey(recipient), tokenKey(token)].join(' ')]);
}

/**
 * False: other payments have left too little of the income. A named transaction may take over the shares of payments that
 * only found it.
 */
async function isLeft(
  queries: Queries,
  row: Row,
  { income }: SeenTransfer,
  isNamed: boolean,
): Promise<boolean> {
  if (income === undefined) return true;
  const sql = row.ordinal === OF_CONTRACTS ? LEFT_OF_BLOCK : LEFT_OF_TRANSACTION;
  const amounts = [income.toString(), row.taken];
  const where = row.ordinal === OF_CONTRACTS ? [row.blockHash] : [isNamed];
  const [left] = await queries.query<{ is_left: boolean }>(sql, [...keyOf(row), ...amounts, ...where]);
  return left?.is_left === true;
}

/** The condition of the unique index. */
const IS_OF_ONE = `ordinal > ${OF_CONTRACTS}`;

const RELEASE = `DELETE FROM proven_output WHERE payment_id = $1 RETURNING tx_hash, ordinal`;

const RESERVE = `
  INSERT INTO proven_output (chain_id, tx_hash, recipient, token, ordinal, block_hash, payment_id, taken, is_named)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT DO NOTHING RETURNING 1`;

const IS_THIS = `o.chain_id = $1 AND o.tx_hash = $2 AND o.recipient = $3 AND o.token = $4 AND o.ordinal = $5 AND o.${IS_OF_ONE}`;

/**
 * Since a search found the transfer, the provider of its payment may have named the transaction; then no other payment takes
 * it over.
 */
const IS_FOUND = `
  SELECT o.payment_id FROM proven_output o
  WHERE ${IS_THIS} AND NOT o.is_named AND NOT EXISTS (
    SELECT FROM payment_report r
    WHERE r.payment_id = o.payment_id AND strpos(lower(r.body), lower(replace($2, '0x', ''))) > 0)`;

/** The loser is inspected again after the next head that inspections share: its own transfer may be young. */
const TAKE_OVER = `
  WITH found AS (${IS_FOUND}
    FOR UPDATE OF o
  ), again AS (
    UPDATE payment_proof f SET due_at = now() + interval '3 seconds', leased_until = NULL, token = f.token + 1, state = 'pending', proven_by = NULL,
      lost_to = (SELECT quote_id FROM payment WHERE id = $7)
    FROM found WHERE f.payment_id = found.payment_id
  )
  UPDATE proven_output o SET payment_id = $7, block_hash = $6, taken = $8, is_named = true, reserved_at = now()
  FROM found WHERE o.payment_id = found.payment_id
  RETURNING 1`;

const HOLDER = `SELECT p.quote_id FROM proven_output o JOIN payment p ON p.id = o.payment_id WHERE ${IS_THIS}`;

const TAKEN = `
  SELECT tx_hash, ordinal FROM proven_output
  WHERE chain_id = $1 AND recipient = $2 AND token = $3 AND reserved_at >= $4 AND payment_id <> $5`;

const LOCK_WALLET = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`;

function leftOf(where: string): string {
  return `
    SELECT $6::numeric - coalesce(sum(taken), 0) >= $7::numeric AS is_left FROM proven_output
    WHERE chain_id = $1 AND recipient = $3 AND token = $4 AND ${where}`;
}

/** Finds the row also by transaction: after a reorganisation the transaction is in another block. */
const LEFT_OF_BLOCK = leftOf(
  `ordinal = $5 AND ordinal = ${OF_CONTRACTS} AND (block_hash = $8 OR tx_hash = $2)`,
);
const LEFT_OF_TRANSACTION = leftOf(
  `tx_hash = $2 AND ${IS_OF_ONE} AND NOT ($8::boolean AND ordinal = $5 AND NOT is_named)`,
);
