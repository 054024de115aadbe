import {
  PaymentProvider,
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../ports/payment-provider.ts';
import { ProviderMeter } from '../../ports/meter.ts';
import { PollRequests } from '../../ports/poll-requests.ts';
import { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import { Schedule, type Poll } from '../../ports/schedule.ts';
import { PollRecorder } from './poll-recorder.ts';
import { ProviderCircuit } from './provider-circuit.ts';
import { PollingSettings } from './polling.settings.ts';
import { QuoteIdBatcher } from './quote-id-batcher.ts';

const NOTICES = { name: 'notices', gatherMs: 20, repeatMs: 1_000, repeats: 'later' } as const;
const CLIENT_HINTS = { name: 'client hints', gatherMs: 500, repeatMs: 15_000, repeats: 'dropped' } as const;

/** Moves payments forward in the schedule, and polls one at once under a claim like every other poll. */
export class ScheduledPollRequests extends PollRequests {
  private readonly notices = new QuoteIdBatcher(NOTICES, (quoteIds) =>
    this.schedule.makeDue(quoteIds, this.settings.pollMs),
  );
  private readonly clientHints = new QuoteIdBatcher(CLIENT_HINTS, (quoteIds) =>
    this.schedule.hint(quoteIds, this.settings.leaseMs),
  );

  constructor(
    private readonly schedule: Schedule,
    private readonly provider: PaymentProvider,
    private readonly recorder: PollRecorder,
    private readonly rateLimit: ProviderRateLimit,
    private readonly circuit: ProviderCircuit,
    private readonly meter: ProviderMeter,
    private readonly settings: PollingSettings,
  ) {
    super();
  }

  hint(quoteId: string): void {
    this.clientHints.addIds([quoteId]);
  }

  makeDue(quoteIds: readonly string[]): void {
    this.notices.addIds(quoteIds);
  }

  /** From now on, writes each hint at once. */
  stop(): void {
    this.notices.stop();
    this.clientHints.stop();
  }

  async writeRest(): Promise<void> {
    await Promise.all([this.notices.writeRest(), this.clientHints.writeRest()]);
  }

  async pollNow(quoteId: string, gapMs: number, caller: string): Promise<'polled' | 'recent' | 'unknown'> {
    // Checked before taking a request: a client that repeats requests for one payment must not use up the budget.
    const ready = await this.schedule.readyForPoll(quoteId, gapMs);
    if (ready !== 'ready') return ready;
    const { isProbe } = await this.rateLimit.takeOne(caller);
    const claim = await this.schedule.claimNow(quoteId, gapMs, this.settings.leaseMs);
    if (claim === 'recent' || claim === 'unknown') {
      await this.rateLimit.returnOne();
      return claim;
    }
    if (isProbe) await this.circuit.beginProbe();
    let answer = NO_ANSWER;
    let recorded: Promise<Poll> | undefined;
    const startedAt = performance.now();
    const extra = await this.provider.readStatuses([quoteId], (_id, received) => {
      answer = received;
      recorded = this.recorder.record(claim, received);
      // The code below awaits the promise later: a failure meanwhile must not count as unhandled.
      recorded.catch(() => undefined);
      return recorded;
    });
    this.meter.requested(performance.now() - startedAt);
    void this.rateLimit.charge(extra ?? 0);
    const poll = await (recorded ?? this.recorder.record(claim, answer));
    if (poll.isSilent) throw failureOf(answer);
    return 'polled';
  }
}

const NO_ANSWER: StatusAnswer = {
  kind: 'unavailable',
  httpStatus: null,
  reason: 'no answer',
  retryAfterMs: null,
};

function failureOf(answer: StatusAnswer): Error {
  if (answer.kind === 'refused') return new ProviderRefused(answer.httpStatus, answer.message);
  if (answer.kind === 'credentials') return new ProviderCredentials();
  if (answer.kind === 'unavailable') return new ProviderUnavailable(answer.reason, answer.retryAfterMs);
  return new ProviderUnavailable('it answered about another quote');
}
