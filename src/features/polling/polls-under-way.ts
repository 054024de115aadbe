import { Logger } from '@nestjs/common';

import type { DueClaim, Schedule } from '../../ports/schedule.ts';
import type { Timers } from '../../ports/timers.ts';
import type { QueuedRequest } from './claim-queue.ts';
import { EXTEND_EVERY_MS, type PollingSettings } from './polling.settings.ts';

/** One request in progress, with its claims. */
export interface RequestUnderWay {
  readonly sendByMs: number;
  /** Replaced when the claims' times of the next polls are no longer valid. */
  claims: readonly DueClaim[];
  readonly since: number;
  /** When the request was sent; the next polls count from then. */
  askedAt: number;
  /** Null until the leases are extended. */
  extendedAt: number | null;
}

/**
 * The requests in progress. Extends the leases of slow ones: if another claim took the payment over, no slow answer would ever
 * count.
 */
export class PollsUnderWay {
  private readonly log = new Logger('Tracker');
  private readonly requests = new Set<RequestUnderWay>();
  /** Null while no request is in progress. */
  private cancelLeaseCheck: (() => void) | null = null;

  constructor(
    private readonly schedule: Pick<Schedule, 'extendLeases'>,
    private readonly settings: Pick<PollingSettings, 'slowAfterMs' | 'slowLeaseMs'>,
    private readonly timers: Timers,
  ) {}

  get size(): number {
    return this.requests.size;
  }

  begin({ claims, sendByMs }: QueuedRequest): RequestUnderWay {
    if (this.cancelLeaseCheck === null) this.checkLeasesSoon();
    const since = this.timers.nowMs();
    const request: RequestUnderWay = { claims, sendByMs, since, askedAt: since, extendedAt: null };
    this.requests.add(request);
    return request;
  }

  /** False: it has ended before. */
  end(request: RequestUnderWay): boolean {
    return this.requests.delete(request);
  }

  /** Notes that the request is sent now. If the claims do not allow a wait that long, their next polls are due too soon. */
  noteSent(request: RequestUnderWay): void {
    request.askedAt = this.timers.nowMs();
    if (request.askedAt > request.sendByMs) request.claims = request.claims.map(rescheduled);
  }

  /** Stops checking leases. */
  stop(): void {
    this.cancelLeaseCheck?.();
  }

  private checkLeasesSoon(): void {
    this.cancelLeaseCheck = this.timers.after(EXTEND_EVERY_MS, () => {
      this.cancelLeaseCheck = null;
      if (this.size > 0) this.checkLeasesSoon();
      void this.extendSlowLeases();
    });
  }

  private async extendSlowLeases(): Promise<void> {
    const { slowAfterMs, slowLeaseMs } = this.settings;
    const slow = this.takeSlow(slowAfterMs, slowLeaseMs / 2);
    if (slow.length === 0) return;
    try {
      await this.schedule.extendLeases(slow, slowLeaseMs);
    } catch (error) {
      this.log.debug(`${slow.length} leases were not extended: ${(error as Error).message}`);
    }
  }

  /**
   * The claims of requests that take longer than `slowAfterMs`; repeated each `againAfterMs`, since a request may wait for a
   * free connection, and a batch may take several requests.
   */
  private takeSlow(slowAfterMs: number, againAfterMs: number): DueClaim[] {
    const now = this.timers.nowMs();
    const slow = [...this.requests].filter(({ since, extendedAt }) =>
      extendedAt === null ? now - since >= slowAfterMs : now - extendedAt >= againAfterMs,
    );
    return slow.flatMap((request) => {
      const { claims } = request;
      request.extendedAt = now;
      // An extended lease has moved the next poll away from the payment's own interval.
      request.claims = claims.map(rescheduled);
      return claims;
    });
  }
}

/** The poll of this claim must be recorded, which schedules the next poll. */
function rescheduled(claim: DueClaim): DueClaim {
  return { ...claim, knownDigest: null, scheduledInMs: null };
}
