import { randomUUID } from 'node:crypto';

import type { Verify } from '../../src/domain/proof/verification.ts';
import type { OutputAnswer, PromisedOutput, SeenDeposit } from '../../src/domain/proof/output.ts';
import { applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { inspectOutput } from '../../src/features/proof/inspect-output.ts';
import { ProofSettings } from '../../src/features/proof/proof.settings.ts';
import { NO_OFFERS } from '../../src/ports/new-deliveries.ts';
import { ChainWitness } from '../../src/ports/chain-witness.ts';
import type { ProofClaim } from '../../src/ports/proofs.ts';
import { claimed, reportOf } from './poll-results.ts';
import { inconclusive, proven, transferOf } from './proof-answers.ts';
import { CHAIN_ID, quoteOf, statusOf } from './proof-texts.ts';
import { paymentToAdd, URGENCY_RULES, type Stores } from './stores.ts';

export const SETTINGS = new ProofSettings('0', 100, 1_800_000, false, 600_000);

/** Answers as the test says; without a set answer, proves each named transaction. */
export class ScriptedWitness extends ChainWitness {
  readonly asked: PromisedOutput[] = [];
  private answers: OutputAnswer[] = [];

  say(...answers: OutputAnswer[]): void {
    this.answers = answers;
  }

  sees(chainId: number): Promise<boolean> {
    return Promise.resolve(chainId === CHAIN_ID || chainId === 10);
  }

  inspectOutput(output: PromisedOutput): Promise<OutputAnswer> {
    this.asked.push(output);
    const [next] = this.answers;
    if (this.answers.length > 1) this.answers.shift();
    const [txHash] = output.txHashes;
    return Promise.resolve(
      next ?? (txHash === undefined ? inconclusive('not_found', 1_000) : proven(transferOf(txHash))),
    );
  }

  readDecimals(): Promise<number | null> {
    return Promise.resolve(null);
  }

  inspectDeposit(): Promise<readonly SeenDeposit[]> {
    return Promise.resolve([]);
  }
}

/** Adds a payment of 25 USDC, and returns its id. */
export async function quoted({ payments }: Stores, receive: object = {}, more: object = {}): Promise<string> {
  const quoteId = randomUUID();
  await payments.add(paymentToAdd(quoteId, { quoteText: quoteOf(quoteId, receive, more) }));
  return quoteId;
}

/** Records a report as a poll does; `isRequired`: VERIFY is `require`, else `observe`. */
export async function reported(
  { schedule }: Stores,
  quoteId: string,
  status: string,
  {
    txHash = null,
    isRequired = false,
    verify = isRequired ? 'require' : 'observe',
  }: { readonly txHash?: string | null; readonly isRequired?: boolean; readonly verify?: Verify } = {},
): Promise<void> {
  const claim = await claimed({ schedule }, quoteId);
  const report = reportOf(statusOf(quoteId, status, txHash));
  const settings = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000, verify);
  await schedule.record([applyPoll(claim, { kind: 'report', report }, new Date(), settings)]);
}

/** Claims what is due. */
export function claimsOf({ proofs }: Stores): Promise<ProofClaim[]> {
  return proofs.claimDue(100, 60_000);
}

/** Searches for an output like the loop does; false: the inspection came too late. */
export async function inspect(
  { proofs }: Stores,
  claim: ProofClaim,
  witness: ChainWitness,
  settings = SETTINGS,
): Promise<boolean> {
  const { candidates, judge } = await inspectOutput(claim, witness, proofs, settings);
  const { isRecorded } = await proofs.record(claim, candidates, judge, NO_OFFERS);
  return isRecorded;
}

interface Published {
  readonly type: string;
  readonly data: {
    readonly status: string;
    readonly reason?: string;
    readonly verification?: { readonly state: string };
    readonly payment: { readonly status: string } | null;
  };
}

/** `completed COMPLETED proven`, `anomaly COMPLETED amount_short contradicted` */
export async function eventsOf({ payments }: Stores, quoteId: string): Promise<string[]> {
  const bodies = (await payments.eventsOf(quoteId))?.events ?? [];
  return bodies.map((body) => {
    const { type, data } = JSON.parse(body) as Published;
    const words = [type.replace('payment.', ''), data.status, data.reason, data.verification?.state];
    return words.filter((word) => word !== undefined).join(' ');
  });
}
