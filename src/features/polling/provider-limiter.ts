import { Logger } from '@nestjs/common';

import type { Admission } from '../../domain/rate-limit/token-bucket.ts';
import { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import { Timers } from '../../ports/timers.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { ProviderCircuit } from './provider-circuit.ts';

/** Requests are taken ahead for this time, so that the shared row is updated a few times a second, not in each round. */
const SLICE_S = 0.25;
const MAX_SLICE = 10_000;
/**
 * Requests that are not sent within this time after being taken are returned: later they would exceed that minute's budget.
 */
const HOLD_MS = 1_000;

/** Admits as many requests to the provider as the shared rate limit allows. */
export class ProviderLimiter {
  private readonly log = new Logger('Tracker');
  private held = 0;
  private heldUntil = 0;
  private shutOffsAtTake = 0;

  constructor(
    private readonly rateLimit: ProviderRateLimit,
    private readonly view: RateLimitView,
    private readonly circuit: ProviderCircuit,
    private readonly timers: Timers,
  ) {}

  /** True while nothing limits requests: then admitting more than are sent costs nothing. */
  get isFree(): boolean {
    return this.view.isFree;
  }

  /** True when the next admission would reserve requests at the shared rate limit. */
  get mustReserve(): boolean {
    return !this.view.isFree && (this.held < 1 || this.isStale);
  }

  /** Admits up to `wanted` requests; the caller must return unsent ones with `unused`. */
  async admit(wanted: number): Promise<Admission> {
    await this.circuit.settled();
    if (this.view.isFree) return { granted: wanted, isProbe: false, waitMs: 0 };
    await this.returnStale();
    if (this.held < 1) {
      const admission = await this.takeSlice();
      if (admission.isProbe) await this.circuit.beginProbe();
      if (admission.granted === 0 || admission.isProbe) return admission;
    }
    const granted = Math.min(this.held, wanted);
    this.held -= granted;
    return { granted, isProbe: false, waitMs: 0 };
  }

  unused(requests: number, { isProbe }: Admission): void {
    if (requests <= 0) return;
    if (isProbe) this.circuit.cancelProbe();
    else if (!this.view.isFree) this.held += requests;
  }

  /** Counts requests that the provider took beyond those that were admitted. */
  charge(requests: number): Promise<void> {
    return this.rateLimit.charge(requests);
  }

  private async takeSlice(): Promise<Admission> {
    const slice = Math.min(Math.ceil(this.view.requestsPerSecond * SLICE_S), MAX_SLICE);
    const admission = await this.rateLimit.takeRequests(Math.max(slice, 1));
    if (admission.isProbe) return admission;
    this.held = admission.granted;
    this.heldUntil = this.timers.nowMs() + HOLD_MS;
    this.shutOffsAtTake = this.view.shutOffs;
    return admission;
  }

  /** True if the provider was shut off since. */
  private get isVoid(): boolean {
    return this.shutOffsAtTake !== this.view.shutOffs;
  }

  private get isStale(): boolean {
    return this.isVoid || this.timers.nowMs() > this.heldUntil;
  }

  /** Returns requests that were held for too long; drops those that are older than the provider's last shut-off. */
  private async returnStale(): Promise<void> {
    if (this.held === 0 || !this.isStale) return;
    const left = this.held;
    this.held = 0;
    if (this.isVoid) return;
    await this.rateLimit.takeRequests(-left).catch((error: unknown) => {
      this.log.debug(`${left} requests were not returned: ${(error as Error).message}`);
    });
  }
}
