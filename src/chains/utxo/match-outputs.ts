import { type Fitting, isEnough, type Match, nearestFirst } from '../../domain/proof/match-output.ts';
import type { PromisedOutput } from '../../domain/proof/output.ts';
import type { ShownBlock, ShownTransfer } from '../../domain/proof/shown.ts';
import type { ShownUtxoTransaction } from './utxo-api.ts';
import type { UtxoChain } from './utxo-chains.ts';

/** The script of an output that leads into Litecoin's extension blocks, or that such a block has. */
const MWEB = /^5[89]20[\da-f]{64}$/;

/** A transaction in a block. */
export type Mined = ShownUtxoTransaction & { readonly block: ShownBlock };

export function isMined(transaction: ShownUtxoTransaction): transaction is Mined {
  return transaction.block !== null;
}

export function isCoinbase({ inputs, isHidden }: ShownUtxoTransaction): boolean {
  return !isHidden && inputs.every(({ spends }) => spends === null);
}

/** Why a transaction does not show the sum that it brings to a script; null: it shows the sum. */
export function unclearWith(
  transaction: ShownUtxoTransaction,
  script: string,
  { hasMweb }: Pick<UtxoChain, 'hasMweb'>,
): 'own_inputs' | 'hidden_amounts' | null {
  const { inputs, outputs, isHidden } = transaction;
  if (inputs.some((input) => input.script === script)) return 'own_inputs';
  return isHidden || (hasMweb && outputs.some((output) => MWEB.test(output.script ?? '')))
    ? 'hidden_amounts'
    : null;
}

/** Compares the promised amount with each output to the recipient. Amounts of two outputs are never added. */
export function matchOutputs(output: PromisedOutput, transaction: Mined): Match {
  const received = receivedBy(output.recipient, transaction);
  const [first, ...others] = fittingOutputs(output, received);
  if (first !== undefined) return { kind: 'fits', fitting: [first, ...others] };
  const failed = received.length > 0 ? 'amount' : 'recipient';
  const reason = received.length > 0 ? 'amount_short' : 'other_recipient';
  const all = received.length > 0 ? received : transfersOf(transaction);
  return { kind: 'differs', failed, reason, nearest: placed(nearestFirst(all)).at(-1) ?? null };
}

/** The outputs that are large enough, the smallest first. */
export function fittingOutputs(output: PromisedOutput, received: readonly ShownTransfer[]): Fitting[] {
  return placed(nearestFirst(received.filter(({ amount }) => isEnough(amount, output))));
}

export function receivedBy(script: string, transaction: Mined): ShownTransfer[] {
  return transfersOf(transaction).filter(({ to }) => to === script);
}

function transfersOf({ txHash, block, outputs }: Mined): ShownTransfer[] {
  return outputs.map(({ index, script, amount }) => ({
    txHash,
    blockNumber: block.number,
    blockHash: block.hash,
    logIndex: index,
    token: '',
    from: '',
    to: script ?? '',
    amount,
  }));
}

/** An output keeps its place when its transaction is mined again. */
function placed(fitting: readonly Fitting[]): Fitting[] {
  return fitting.map((each) => ({ ...each, ordinal: each.logIndex ?? 0 }));
}
