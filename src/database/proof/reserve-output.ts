import type { SeenTransfer } from '../../domain/proof/output.ts';
import type { Candidates } from '../../ports/proofs.ts';
import type { Queries } from '../../ports/queries.ts';

/** In the place of a log index: the native coin, and what a block brought of it. */
const NATIVE = -1;
const OF_BLOCK = -2;

/**
 * Reserves the first candidate that proves no other payment, in the transaction that stores the proof: two payments that want
 * one transfer wait for each other here. Null: each proves another one. A payment whose provider names the transaction takes it
 * over from a payment that was only found by a search, and that is inspected again.
 */
export async function reserveOutput(
  queries: Queries,
  paymentId: string,
  { chainId, transfers, isNamed }: Candidates,
): Promise<SeenTransfer | null> {
  if (chainId === null || transfers.length === 0) return null;
  // A transaction that was mined again may have another log index.
  const given = await queries.query<Held>(RELEASE, [paymentId]);
  for (const transfer of [...transfers].sort((one, other) => rank(given, one) - rank(given, other))) {
    const key = [chainId, ...placeOf(transfer)];
    const blockHash = transfer.blockHash.toLowerCase();
    const rows = await queries.query(RESERVE, [...key, blockHash, paymentId, isNamed]);
    if (rows.length > 0) return transfer;
    if (isNamed && (await queries.query(TAKE_OVER, [...key, blockHash, paymentId])).length > 0)
      return transfer;
  }
  return null;
}

export async function releaseOutput(queries: Queries, paymentId: string): Promise<void> {
  await queries.query(RELEASE, [paymentId]);
}

interface Held {
  readonly tx_hash: string;
  readonly log_index: number;
}

/** The transfer that proved the payment before comes first, and the others keep their order. */
function rank(given: readonly Held[], transfer: SeenTransfer): number {
  const [hash, index] = placeOf(transfer);
  return given.some(({ tx_hash, log_index }) => tx_hash === hash && log_index === index) ? 0 : 1;
}

/** The hash and the index that stand for a transfer: what a block brought counts once, whichever transaction is named. */
function placeOf({ txHash, logIndex, blockHash, byBalance }: SeenTransfer): readonly [string, number] {
  if (byBalance === true) return [blockHash.toLowerCase(), OF_BLOCK];
  return [txHash.toLowerCase(), logIndex ?? NATIVE];
}

const RELEASE = `DELETE FROM proven_output WHERE payment_id = $1 RETURNING tx_hash, log_index`;

const RESERVE = `
  INSERT INTO proven_output (chain_id, tx_hash, log_index, block_hash, payment_id, is_named)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (chain_id, tx_hash, log_index) DO NOTHING RETURNING 1`;

const TAKE_OVER = `
  WITH found AS (
    SELECT payment_id FROM proven_output
    WHERE chain_id = $1 AND tx_hash = $2 AND log_index = $3 AND NOT is_named FOR UPDATE
  ), again AS (
    UPDATE payment_proof f SET due_at = now(), token = f.token + 1, state = 'pending', proven_by = NULL
    FROM found WHERE f.payment_id = found.payment_id
  )
  UPDATE proven_output o SET payment_id = $5, block_hash = $4, is_named = true
  FROM found WHERE o.chain_id = $1 AND o.tx_hash = $2 AND o.log_index = $3
  RETURNING 1`;
