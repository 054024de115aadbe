import { Logger } from '@nestjs/common';

import { asksForFewer, isTooManyRequests } from '../../domain/rate-limit/rate-limit-transitions.ts';
import { Clock } from '../../ports/clock.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import type { ProviderView, ProviderWatch } from '../../ports/provider-view.ts';
import { ProviderHealth, type Health, type QuotingRequest } from '../../ports/readiness.ts';
import type { Timers } from '../../ports/timers.ts';
import { Complaints, OF_ALL, type Concern } from './complaints.ts';
import { AnswerTimes, NO_KEY, ProviderRefusals, QuotingHealth } from './provider-troubles.ts';
import { RateLimitView } from './rate-limit-view.ts';

/** How many unusable answers in a row degrade the health … */
const DEGRADED_AFTER = 5;
/** … and how many, about several payments, open the circuit: then the provider fails, not one payment. */
const OPEN_AFTER = 10;
const OPEN_AFTER_PAYMENTS = 3;
/** Without an open payment no poll shows that the provider works again: after this time, the reads of its lists show it. */
const FORGOTTEN_AFTER_MS = 300_000;
/** How many refusals of our key in a row open the circuit: a single one may have another reason. */
const LOCKED_OUT_AFTER = 3;

const degraded = (detail: string): Health => ({ status: 'degraded', detail });

type Failure = Extract<StatusAnswer, { kind: 'unavailable' | 'credentials' }>;

/** Watches the provider's answers: opens and closes the circuit, throttles requests, and logs these changes. */
export class ProviderCircuit extends ProviderHealth implements ProviderWatch {
  private readonly log = new Logger('Provider');
  private readonly quoting = new QuotingHealth();
  private readonly refused: ProviderRefusals;
  private readonly complaints: Complaints;
  private readonly failing = new Set<string>();
  private failures = 0;
  private failedAtMs = 0;
  private refusals = 0;
  private isProbing = false;
  private detail: string | null = null;
  private wasLockedOut = false;
  private publishing: Promise<void> = Promise.resolve();
  private readonly pending = new Set<string>();

  constructor(
    private readonly rateLimit: ProviderRateLimit,
    private readonly view: RateLimitView,
    private readonly answers: AnswerTimes,
    clock: Clock,
    private readonly timers: Timers,
    pollIntervalMs: number,
  ) {
    super();
    this.refused = new ProviderRefusals(clock);
    this.complaints = new Complaints(timers, pollIntervalMs, (pauseMs) => this.throttle(pauseMs));
  }

  /** This process's own view of the last answers; reads nothing from the database. */
  seen(): ProviderView {
    const detail = this.detail ?? this.quoting.trouble;
    const { slowMs } = this.answers;
    return { detail, isKeyRefused: detail === NO_KEY, slowMs, refusals: this.refused.all };
  }

  async health(): Promise<Health> {
    // Without the database the last view stays; readiness reports the database itself.
    await this.view.refresh().catch(() => undefined);
    const isLockedOut = this.view.circuit === 'credentials';
    // Another replica found that the provider accepts the key again: requests that it refused had the same cause.
    if (this.wasLockedOut && !isLockedOut) this.quoting.clearKeyTrouble();
    this.wasLockedOut = isLockedOut;
    if (isLockedOut) return degraded(`${NO_KEY}; only probes go out`);
    if (this.view.circuit === 'open') return degraded(`${this.detail ?? 'it fails'}; only probes go out`);
    const detail = this.detail ?? this.quoting.trouble;
    if (detail !== null) return degraded(detail);
    const shortage = await this.view.shortage().catch(() => null);
    if (shortage !== null) return degraded(shortage);
    const { slowMs } = this.answers;
    return slowMs === null ? { status: 'ok' } : degraded(`its answers take ${(slowMs / 1_000).toFixed(1)} s`);
  }

  async isFailing(): Promise<boolean> {
    await this.view.refresh().catch(() => undefined);
    return this.view.isOpen || this.seen().detail !== null;
  }

  /** Resolves once the pending changes are published to the other replicas. */
  settled(): Promise<void> {
    return this.publishing;
  }

  async beginProbe(): Promise<void> {
    await this.view.refresh();
    this.isProbing = true;
  }

  /** The probe was not sent because no payment was due. */
  cancelProbe(): void {
    this.isProbing = false;
  }

  recordAnswer(quoteId: string, answer: StatusAnswer, failuresBefore = 0): boolean {
    this.refused.noteAnswer(answer);
    if (answer.kind === 'report' || answer.kind === 'refused') {
      this.recordSuccess();
      return true;
    }
    const isTooMany = answer.kind === 'unavailable' && isTooManyRequests(answer.httpStatus);
    // A provider that counts our requests works.
    if (isTooMany) this.noteWorking();
    else this.recordFailure(quoteId, answer);
    const concern = this.noteComplaint(quoteId, answer, failuresBefore);
    return isTooMany ? concern?.of !== 'all' : this.trouble() === null && !this.view.isOpen;
  }

  /** Records a usable answer. */
  recordSuccess(): void {
    this.complaints.noteUsable();
    this.noteWorking();
  }

  private noteWorking(): void {
    if (this.detail !== null)
      this.log.log(`the provider answers again after ${this.failures} failures`, this.view.logFields);
    this.failures = 0;
    this.refusals = 0;
    this.failing.clear();
    this.detail = null;
    this.isProbing = false;
    if (!this.view.isOpen) return;
    this.publish('recover', async () => this.view.noteSpread(await this.rateLimit.closeCircuit()));
  }

  recordQuoting(request: QuotingRequest, failure: unknown): void {
    this.quoting.record(request, failure);
    this.refused.noteQuoting(request, failure);
    const isAged = this.timers.nowMs() - this.failedAtMs > FORGOTTEN_AFTER_MS;
    if (failure === null && isAged && !this.view.isOpen) this.noteWorking();
  }

  /** Throttles if the answer is a complaint about more than its payment; null: the answer is no complaint. */
  private noteComplaint(quoteId: string, answer: Failure, failuresBefore: number): Concern | null {
    if (answer.kind !== 'unavailable' || !asksForFewer(answer.httpStatus)) return null;
    const { retryAfterMs, isAboutAll = false } = answer;
    // While only probes are sent, no other payment is answered.
    const isOfAll = isAboutAll || this.view.isOpen;
    const concern = isOfAll ? OF_ALL : this.complaints.judge(quoteId, retryAfterMs, failuresBefore);
    const pauseMs = retryAfterMs === null ? null : Math.min(retryAfterMs, concern.pauseUpToMs);
    if (concern.of !== 'payment') this.throttle(concern.of === 'all' ? pauseMs : null);
    return concern;
  }

  private throttle(retryAfterMs: number | null): void {
    this.publish('throttle', () => this.rateLimit.throttle(retryAfterMs));
  }

  private recordFailure(quoteId: string, answer: Failure): void {
    this.failures += 1;
    this.failedAtMs = this.timers.nowMs();
    this.refusals = answer.kind === 'credentials' ? this.refusals + 1 : 0;
    if (this.failing.size < OPEN_AFTER) this.failing.add(quoteId);
    this.describe(answer);
    const cause = this.trouble();
    const isProbe = this.isProbing && this.view.isOpen;
    if (isProbe || (cause !== null && !this.view.isOpen)) {
      this.isProbing = false;
      const openedBy = cause ?? (answer.kind === 'credentials' ? 'credentials' : 'open');
      this.publish('fail', () => this.rateLimit.openCircuit(openedBy, isProbe));
    }
  }

  private trouble(): 'open' | 'credentials' | null {
    if (this.refusals >= LOCKED_OUT_AFTER) return 'credentials';
    return this.failures >= OPEN_AFTER && this.failing.size >= OPEN_AFTER_PAYMENTS ? 'open' : null;
  }

  private describe(answer: Failure): void {
    if (answer.kind !== 'credentials' && this.failures < DEGRADED_AFTER) return;
    const detail = answer.kind === 'credentials' ? NO_KEY : answer.reason;
    if (this.detail === null) this.log.warn(`the provider is in trouble: ${detail}`, this.view.logFields);
    this.detail = detail;
  }

  /** Runs one change after another, each kind only once at a time. After a failure, a later answer repeats the change. */
  private publish(what: string, work: () => Promise<void>): void {
    if (this.pending.has(what)) return;
    this.pending.add(what);
    this.publishing = this.publishing.then(async () => {
      try {
        await work();
        await this.view.refresh();
      } catch (error) {
        const why = (error as Error).message;
        this.log.warn(`the change was not published to the other replicas: ${why}`, this.view.logFields);
      } finally {
        this.pending.delete(what);
      }
    });
  }
}
