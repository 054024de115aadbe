import type { Status } from '../../../src/domain/payment/status.ts';
import {
  type DisabledReason,
  Meter,
  type MeteredTarget,
  type NoticeOutcome,
  type PollOutcome,
  type RpcOutcome,
  type TrackTry,
} from '../../../src/ports/meter.ts';

/** Keeps what was measured. */
export class FakeMeter extends Meter {
  readonly outcomes: PollOutcome[] = [];
  readonly gaps: { status: Status; gapMs: number }[] = [];
  readonly attempts: { destination: string; outcome: string; durationMs: number }[] = [];
  readonly delays: { destination: string; delayMs: number }[] = [];
  readonly givenUps: string[] = [];
  readonly disabledReasons: DisabledReason[] = [];
  readonly trackTries: TrackTry[] = [];
  readonly rpcCalls: { chainId: number; calls: number; outcome: RpcOutcome; openCircuits: number }[] = [];
  /** The names of RPCs that disagreed. */
  readonly disagreements: string[] = [];
  readonly notices: NoticeOutcome[] = [];
  unroutableEvents = 0;
  unfitQuotes = 0;
  requests = 0;
  streams = 0;

  /** The counts of all providers together. */
  get own(): this {
    return this;
  }

  get all(): this {
    return this;
  }

  of(): this {
    return this;
  }

  polled(outcome: PollOutcome): void {
    this.outcomes.push(outcome);
  }

  requested(): void {
    this.requests += 1;
  }

  detected(status: Status, gapMs: number): void {
    this.gaps.push({ status, gapMs });
  }

  stale(): void {}

  recorded(): void {}

  attempted({ kind: destination }: MeteredTarget, outcome: string, durationMs: number): void {
    this.attempts.push({ destination, outcome, durationMs });
  }

  acknowledged({ kind: destination }: MeteredTarget, delayMs: number): void {
    this.delays.push({ destination, delayMs });
  }

  givenUp({ kind }: MeteredTarget): void {
    this.givenUps.push(kind);
  }

  endpointDisabled(reason: DisabledReason): void {
    this.disabledReasons.push(reason);
  }

  streaming(count: number): void {
    this.streams = count;
  }

  unroutable(): void {
    this.unroutableEvents += 1;
  }

  trackMessage(came: TrackTry): void {
    this.trackTries.push(came);
  }

  rpcAsked(chainId: number, calls: number, outcome: RpcOutcome, openCircuits: number): void {
    this.rpcCalls.push({ chainId, calls, outcome, openCircuits });
  }

  rpcDisagreed(_chainId: number, host: string): void {
    this.disagreements.push(host);
  }

  unfitQuote(): void {
    this.unfitQuotes += 1;
  }

  noticed(outcome: NoticeOutcome): void {
    this.notices.push(outcome);
  }
}
