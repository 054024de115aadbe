import { SandboxWitness } from '../../src/chains/sandbox/sandbox-witness.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { saysCompleted } from '../../src/domain/payment/shown-report.ts';
import { isPaid } from '../../src/domain/payment/status.ts';
import { applyUnseenDeposit } from '../../src/domain/transitions/unseen-deposit.ts';
import { noteDeposits, unseenDeposit, untoldDeposits } from '../../src/domain/transitions/untold-deposits.ts';
import { watchedDeposit } from '../../src/domain/payment/watched-deposit.ts';
import { readTerms } from '../../src/domain/payment/terms.ts';
import { inspectOutput } from '../../src/features/proof/inspect-output.ts';
import { ProofSettings } from '../../src/features/proof/proof.settings.ts';
import type { ProofClaim } from '../../src/ports/proofs.ts';
import type { SandboxPayment } from '../../src/providers/sandbox/sandbox-status.ts';
import type { Story } from '../../src/providers/sandbox/stories.ts';
import { EVERY_S, StoryPlay, toldPayment } from './story-play.ts';

/** The defaults of the settings that decide when something is told, in seconds. */
const PATIENCE_S = 1_800;
const UNSEEN_S = 600;
/** The witness inspects a deposit address for the first time a minute before the quote expires. */
const FIRST_LOOK_S = 240;
const CONFIRMATIONS = 20;
/** Paybell reports nothing later: the last stages and the end of the patience come before. */
const LONGEST_S = 2_000;

export type ProofMode = 'observe' | 'require';
type Proving = Pick<ProofClaim, 'state' | 'verification' | 'provenBy' | 'inspections' | 'lostTo'>;

/** The payment is alone: no other one has taken its transfer. */
const NO_OTHERS = { taken: () => Promise.resolve(new Set<string>()) };

/** The events of a sandbox payment with VERIFY, whose chain is inspected whenever Paybell would. */
export class ProvenPlay extends StoryPlay {
  private proving: Proving = {
    state: 'pending',
    verification: null,
    provenBy: null,
    inspections: 0,
    lostTo: null,
  };
  /** When the proof began, in seconds after the quote; null: there is nothing to prove at present. */
  private begunAt: number | null = null;
  private dueAt: number | null = null;
  private seenAt: number | null = null;
  private now = 0;
  private readonly settings: ProofSettings;
  private readonly witness: SandboxWitness;

  constructor(payment: SandboxPayment, metadata: Payment['metadata'], mode: ProofMode) {
    super(payment, metadata, mode);
    const { speed } = payment;
    this.settings = new ProofSettings('0', 100, PATIENCE_S * 1_000, false, UNSEEN_S, speed);
    const clock = { now: () => this.at(this.now) };
    this.witness = new SandboxWitness({ speed, confirmationsOf: () => CONFIRMATIONS, clock });
  }

  /** Inspects the chain if an inspection is due. */
  async inspect(second: number): Promise<void> {
    this.now = second;
    await this.watchDeposit(second);
    if (
      this.begunAt === null &&
      second % EVERY_S === 0 &&
      this.storedReport !== null &&
      saysCompleted(this.storedReport)
    )
      this.begunAt = this.dueAt = second;
    if (this.begunAt === null || this.dueAt === null || second < this.dueAt) return;
    this.proving = { ...this.proving, inspections: this.proving.inspections + 1 };
    const { candidates, judge } = await inspectOutput(
      this.claim(second, this.begunAt),
      this.witness,
      NO_OTHERS,
      this.settings,
    );
    const reserved = { transfer: candidates.transfers[0] ?? null, heldBy: null };
    const { transition, judged } = judge(this.tracked, reserved, this.at(second));
    this.keep(transition, second);
    if (judged === null) throw new Error('the payment was not to be proven');
    const { proof, provenBy, nextInMs } = judged;
    const { verification } = proof;
    this.proving = { ...this.proving, state: verification.state, verification, provenBy };
    this.dueAt = nextInMs === null ? null : second + (nextInMs * this.payment.speed) / 1_000;
  }

  private claim(second: number, begunAt: number): ProofClaim {
    const { quoteId, provider, reportDigest } = this.tracked;
    const names = { paymentId: quoteId, token: '1', quoteId, provider, seenInputs: [] };
    const texts = { ...this.texts(), wasUnderWay: false };
    return { ...names, texts, reportDigest, ...this.proving, begunAgoMs: this.realMs(second - begunAt) };
  }

  private async watchDeposit(second: number): Promise<void> {
    if (second < FIRST_LOOK_S || isPaid(this.tracked.status)) return;
    const texts = { ...this.texts(), txHashes: [] };
    const watched = watchedDeposit(texts);
    if (watched === null) return;
    const found = await this.witness.inspectDeposit(watched);
    if (found.length === 0) return;
    this.seenAt ??= second;
    if (second - this.seenAt < UNSEEN_S) return;
    const { status, contradictions } = this.tracked;
    const noted = noteDeposits([], found, watched, this.at(this.seenAt));
    const payment = { ...texts, id: 1n, status, contradictions, isWatched: true };
    const asked = readTerms(texts.quoteText).send.decimals;
    for (const untold of untoldDeposits(noted, watched, payment, []))
      this.keep(
        applyUnseenDeposit(this.tracked, unseenDeposit(untold, watched, { came: asked, asked })),
        second,
      );
  }

  private texts() {
    const { quote, createdAt } = this.payment;
    return { quoteText: JSON.stringify(quote), reportText: this.storedReport, createdAt };
  }

  private realMs(seconds: number): number {
    return (seconds * 1_000) / this.payment.speed;
  }
}

/** Plays a story to its end: polls every 5 s of the sandbox, and inspects its chain when due. */
export async function playProven(story: Story, mode: ProofMode, speed = 1): Promise<ProvenPlay> {
  const play = new ProvenPlay(toldPayment(story, speed), { story }, mode);
  for (let second = 0; second <= LONGEST_S; second += 1) {
    if (second % EVERY_S === 0) play.poll(second);
    await play.inspect(second);
  }
  return play;
}

/** The events of a story with VERIFY=require, one a line. */
export async function provenStoryEvents(story: Story): Promise<string> {
  const { bodies } = await playProven(story, 'require');
  return bodies.map((body) => `${body}\n`).join('');
}
