import { judgeOutput } from '../../../src/domain/proof/judge-output.ts';
import { matchToken } from '../../../src/domain/proof/match-output.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import type { ChainHead, ShownBlock, ShownReceipt, ShownTransfer } from '../../../src/domain/proof/shown.ts';

export const TOKEN = `0x${'aa'.repeat(20)}`;
export const RECIPIENT = `0x${'bb'.repeat(20)}`;
export const PAYER = `0x${'dd'.repeat(20)}`;
export const ELSE = `0x${'cc'.repeat(20)}`;
export const TX = `0x${'11'.repeat(32)}`;
export const BLOCK_HASH = `0x${'22'.repeat(32)}`;
export const SINCE = new Date('2026-11-26T12:00:00Z');
export const NEEDED = 5;

export const output: PromisedOutput = {
  chainId: 8453,
  token: TOKEN,
  recipient: RECIPIENT,
  leastAmount: 1_000n,
  mostAmount: 2_000n,
  txHashes: [TX],
  since: SINCE,
};

export function transfer(fields: Partial<ShownTransfer> = {}): ShownTransfer {
  return {
    txHash: TX,
    blockNumber: 100,
    blockHash: BLOCK_HASH,
    logIndex: 0,
    token: TOKEN,
    from: PAYER,
    to: RECIPIENT,
    amount: 1_000n,
    ...fields,
  };
}

export function receipt(transfers: readonly ShownTransfer[], succeeded = true): ShownReceipt {
  return {
    txHash: TX,
    blockNumber: 100,
    blockHash: BLOCK_HASH,
    succeeded,
    gasUsed: 21_000n,
    transfers,
    logged: '',
  };
}

export function blockAt(number: number, hash = BLOCK_HASH): ShownBlock {
  return { number, hash, at: new Date(SINCE.getTime() + number * 2_000) };
}

export function judge(
  transfers: readonly ShownTransfer[],
  head: ChainHead = { latest: blockAt(200), final: 150 },
  { block = blockAt(100), source = 'a.example', promise = output } = {},
): OutputAnswer {
  const match = matchToken(promise, receipt(transfers));
  const shown = { source, match, blockNumber: 100, blockHash: BLOCK_HASH, block, head, needed: NEEDED };
  return judgeOutput(promise, shown);
}
