import type {
  OutputAnswer,
  PromisedOutput,
  SeenDeposit,
  SeenTransfer,
  WatchedDeposit,
} from '../domain/proof/output.ts';
import type { Spelling } from './rpc/chain-adapter.ts';

/** An output in the form in which readers compare. Null: its token or recipient is not an address of this kind. */
export function readOutput(spelling: Spelling, output: PromisedOutput): PromisedOutput | null {
  const recipient = spelling.addressOf(output.recipient);
  const token = output.token === null ? null : spelling.addressOf(output.token);
  if (recipient === null || (token === null && output.token !== null)) return null;
  const { provenBy = null } = output;
  return {
    ...output,
    recipient,
    token,
    spelled: { recipient: output.recipient, token: output.token },
    ...(output.used === undefined ? {} : { used: readUsed(spelling, output.used) }),
    provenBy: provenBy === null ? null : { ...provenBy, txHash: spelling.hashOf(provenBy.txHash) },
  };
}

function readUsed(spelling: Spelling, used: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...used].map((key) => key.replace(/^[^:]*/, (hash) => spelling.hashOf(hash))));
}

/** A deposit in the same form. */
export function readDeposit(spelling: Spelling, deposit: WatchedDeposit): WatchedDeposit | null {
  const depositAddress = spelling.addressOf(deposit.depositAddress);
  const token = deposit.token === null ? null : spelling.addressOf(deposit.token);
  if (depositAddress === null || (token === null && deposit.token !== null)) return null;
  return {
    ...deposit,
    depositAddress,
    token,
    others: deposit.others.flatMap(({ token: text, least }) => {
      const other = text === null ? null : spelling.addressOf(text);
      return other === null && text !== null ? [] : [{ token: other, least }];
    }),
    txHashes: deposit.txHashes.map((each) => spelling.hashOf(each)),
  };
}

/** An answer with its transactions in the usual spelling for people. */
export function shownOutput(spelling: Spelling, answer: OutputAnswer): OutputAnswer {
  if (answer.state === 'inconclusive') return answer;
  if (answer.state === 'contradicted') {
    const { transfer } = answer;
    return { ...answer, transfer: transfer === null ? null : shown(spelling, transfer) };
  }
  const [first, ...others] = answer.transfers;
  return {
    ...answer,
    transfers: [shown(spelling, first), ...others.map((each) => shown(spelling, each))],
  };
}

/** Spells tokens as they were requested. */
export function shownDeposits(
  spelling: Spelling,
  { token, others }: WatchedDeposit,
  deposits: readonly SeenDeposit[],
): readonly SeenDeposit[] {
  const texts = [token, ...others.map((other) => other.token)].filter((text) => text !== null);
  const asked = new Map(texts.toReversed().map((text) => [spelling.addressOf(text), text]));
  return deposits.map((deposit) => ({
    ...deposit,
    txHash: deposit.txHash === null ? null : spelling.shownHash(deposit.txHash),
    token: deposit.token === null ? null : (asked.get(deposit.token) ?? deposit.token),
  }));
}

function shown(spelling: Spelling, transfer: SeenTransfer): SeenTransfer {
  return { ...transfer, txHash: spelling.shownHash(transfer.txHash) };
}
