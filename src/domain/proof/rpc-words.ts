import type { OutputAnswer } from './output.ts';
import type { ContradictionOnChain } from './verification.ts';

const CONTRADICTIONS: Readonly<Record<ContradictionOnChain, string>> = {
  output_missing: 'shows no such transfer',
  output_reverted: 'shows that it failed',
  other_recipient: 'shows another recipient',
  other_token: 'shows another token',
  amount_short: 'shows too little',
  output_used_before: 'shows it for another payment',
  output_reorged: 'shows another block in its place',
  double_spent: 'shows that another transaction spends its input',
};

/** Reasons of answers that are too early: further blocks may change them. */
const EARLY: ReadonlySet<string> = new Set(['not_in_block', 'not_confirmed', 'not_final', 'block_replaced']);

const INCONCLUSIVE: Readonly<Record<string, string>> = {
  not_found: 'does not have the transaction',
  no_transfer_found: 'shows no such transfer',
  not_in_block: 'shows it in no block yet',
  older_block: 'shows it in a block that may be older than the quote',
  not_confirmed: 'shows it in a young block',
  not_final: 'shows something else in a block that is not final',
  block_replaced: 'shows it in a block that was replaced',
  rpc_contradicts_itself: 'contradicts itself',
};

/** The answers of several RPCs in one sentence, with the name of each. */
export function sentenceOf(answers: readonly OutputAnswer[]): string {
  return `${answers.map((answer) => `${sourceOf(answer)} ${wordsOf(answer)}`).join('; ')}.`;
}

/** The words that follow the name of the RPC in a sentence. */
export function wordsOf(answer: OutputAnswer): string {
  if (answer.state === 'proven') return `shows it in block ${answer.transfers[0].blockNumber}`;
  if (answer.state === 'inconclusive') return INCONCLUSIVE[answer.reason] ?? 'cannot tell';
  const words = CONTRADICTIONS[answer.reason];
  return answer.transfer === null ? words : `${words} in block ${answer.transfer.blockNumber}`;
}

/**
 * The RPCs whose answer differs from the majority's; all of them if there is no majority. None: an RPC lags, or none has
 * decided.
 */
export function disagreeing(answers: readonly OutputAnswer[]): string[] {
  const said = answers.filter((answer) => answer.state !== 'inconclusive' || !EARLY.has(answer.reason));
  if (said.every(({ state }) => state === 'inconclusive')) return [];
  const views = said.map(viewOf);
  const timesOf = (view: string): number => views.filter((other) => other === view).length;
  const [most = '', next] = [...new Set(views)].toSorted((one, other) => timesOf(other) - timesOf(one));
  if (next === undefined) return [];
  const isMajority = timesOf(most) > timesOf(next);
  return said.filter((_, at) => !isMajority || views[at] !== most).map(sourceOf);
}

function viewOf(answer: OutputAnswer): string {
  const transfer = answer.state === 'proven' ? answer.transfers[0] : null;
  return `${wordsOf(answer)} ${transfer?.txHash} ${transfer?.logIndex} ${transfer?.blockHash} ${transfer?.amount}`;
}

function sourceOf({ sources: [source] }: OutputAnswer): string {
  return source ?? 'An RPC';
}
