import { Injectable, Logger } from '@nestjs/common';

import type { Admission } from '../../domain/rate-limit/token-bucket.ts';
import { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import { RateLimitView } from './rate-limit-view.ts';
import { ProviderCircuit } from './provider-circuit.ts';

/** Requests are taken ahead for so long, so that the shared row is asked a few times a second, not at each round. */
const SLICE_S = 0.25;
const MAX_SLICE = 10_000;
/** Taken requests that were not made by then are given back: held ones would come on top of a later minute's. */
const HOLD_MS = 1_000;

/** Lets requests to the provider through: as many as the pace that all replicas share allows. */
@Injectable()
export class ProviderLimiter {
  private readonly log = new Logger('Tracker');
  private held = 0;
  private heldUntil = 0;
  private shutOffsAtTake = 0;

  constructor(
    private readonly rateLimit: ProviderRateLimit,
    private readonly view: RateLimitView,
    private readonly circuit: ProviderCircuit,
  ) {}

  /** True while requests need no leave: then it costs nothing to ask for more of them than are made. */
  get isFree(): boolean {
    return this.view.isFree;
  }

  /** Asks for leave to make up to `wanted` requests; what is granted and not made must be told by `unused`. */
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

  private async takeSlice(): Promise<Admission> {
    const slice = Math.min(Math.ceil(this.view.requestsPerSecond * SLICE_S), MAX_SLICE);
    const admission = await this.rateLimit.take(Math.max(slice, 1));
    if (admission.isProbe) return admission;
    this.held = admission.granted;
    this.heldUntil = performance.now() + HOLD_MS;
    this.shutOffsAtTake = this.view.shutOffs;
    return admission;
  }

  /** Held for too long, or from before the provider asked for a pause. */
  private async returnStale(): Promise<void> {
    if (this.held === 0) return;
    const isStopped = this.shutOffsAtTake !== this.view.shutOffs;
    if (!isStopped && performance.now() <= this.heldUntil) return;
    const left = this.held;
    this.held = 0;
    if (isStopped) return;
    await this.rateLimit.take(-left).catch((error: unknown) => {
      this.log.debug(`${left} requests were not given back: ${(error as Error).message}`);
    });
  }
}
