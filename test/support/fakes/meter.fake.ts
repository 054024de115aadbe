import type { Status } from '../../../src/domain/status.ts';
import { Meter, type PollOutcome } from '../../../src/ports/meter.ts';

/** Keeps what was measured. */
export class FakeMeter extends Meter {
  readonly outcomes: PollOutcome[] = [];
  readonly gaps: { status: Status; gapMs: number }[] = [];
  requests = 0;
  overtakenLooks = 0;

  polled(outcome: PollOutcome): void {
    this.outcomes.push(outcome);
  }

  requested(): void {
    this.requests += 1;
  }

  detected(status: Status, gapMs: number): void {
    this.gaps.push({ status, gapMs });
  }

  overtaken(count: number): void {
    this.overtakenLooks += count;
  }
}
