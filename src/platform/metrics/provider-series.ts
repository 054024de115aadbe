import { Counter, Histogram, type Registry } from 'prom-client';

import { STATUSES, type Status } from '../../domain/payment/status.ts';
import { URGENCY_NAMES, type UrgencyClass } from '../../domain/polling/urgency.ts';
import {
  NOTICE_OUTCOMES,
  type NoticeOutcome,
  POLL_OUTCOMES,
  type PollOutcome,
  ProviderMeter,
} from '../../ports/meter.ts';
import type { FigureCounter } from './figure-counter.ts';
import { observe, SeriesIn } from './series-in.ts';

const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Buckets from the shortest gap between two polls, over scaled intervals, to the last polls of the late watch. */
const GAP_BUCKETS_S = [1, 2.5, 5, 7.5, 10, 15, 30, 60, 120, 300, 900, 3_600, 14_400, 43_200];

const REQUESTS_HELP = 'Status requests to the provider.';
const UNFIT_HELP = 'Quotes that were refused since they differ from their request.';

/**
 * Counts in a plain number, and adds it to its series when the metrics are read: a poll does not look up a series by labels.
 */
class Tally {
  private count = 0;

  constructor(private readonly series: Counter.Internal) {
    series.inc(0);
  }

  increment(): void {
    this.count += 1;
  }

  flush(): void {
    this.series.inc(this.count);
    this.count = 0;
  }
}

/** The metrics of polls and requests, with the label `provider`. */
export class ProviderMetrics {
  readonly polls: Counter<'provider' | 'outcome'>;
  readonly requests: Counter<'provider'>;
  readonly requestSeconds: Histogram<'provider'>;
  readonly gapSeconds: Histogram<'provider' | 'status'>;
  readonly stalePolls: Counter<'provider'>;
  readonly notices: Counter<'provider' | 'outcome'>;
  readonly unfitQuotes: Counter<'provider'>;
  private readonly tallies: Tally[] = [];

  constructor(registry: Registry) {
    const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers: [registry], collect: () => this.flush() });
    const series = new SeriesIn(registry);
    this.polls = counter('paybell_polls_total', 'Polls of payments, by outcome.', 'provider', 'outcome');
    this.requests = counter('paybell_provider_requests_total', REQUESTS_HELP, 'provider');
    this.requestSeconds = series.histogram(
      'paybell_provider_request_duration_seconds',
      'How long status requests to the provider took.',
      REQUEST_BUCKETS_S,
      'provider',
    );
    this.gapSeconds = series.histogram(
      'paybell_detection_gap_seconds',
      'Time between the poll that detected a new status and the poll before it, by the new status.',
      GAP_BUCKETS_S,
      'provider',
      'status',
    );
    this.stalePolls = counter(
      'paybell_stale_polls_total',
      'Poll results that arrived after another replica had claimed the payment.',
      'provider',
    );
    this.notices = counter(
      'paybell_provider_notices_total',
      'Notices that the provider sent by itself, by outcome.',
      'provider',
      'outcome',
    );
    this.unfitQuotes = counter('paybell_unfit_quotes_total', UNFIT_HELP, 'provider');
  }

  tally(series: Counter.Internal): Tally {
    const tally = new Tally(series);
    this.tallies.push(tally);
    return tally;
  }

  private flush(): void {
    for (const tally of this.tallies) tally.flush();
  }
}

/** The names of figures, made once: a poll must make no strings. */
const POLLS = byOutcome(POLL_OUTCOMES, (outcome) => `polls.${outcome}`);
const CLASSES = URGENCY_NAMES.map((name) => `class.${name}`);

/**
 * The series and figures of one provider. Every series exists from the start, at zero; frequent ones are resolved once, not at
 * each call.
 */
export class ProviderSeries extends ProviderMeter {
  private readonly polls: Readonly<Record<PollOutcome, Tally>>;
  private readonly requests: Tally;
  private readonly requestSeconds: Histogram.Internal<string>;
  private readonly gapSeconds: ReadonlyMap<Status, Histogram.Internal<string>>;
  private readonly stalePolls: Counter.Internal;
  private readonly notices: Readonly<Record<NoticeOutcome, Counter.Internal>>;
  private readonly unfitQuotes: Counter.Internal;

  constructor(
    metrics: ProviderMetrics,
    private readonly provider: string,
    private readonly figures: FigureCounter,
  ) {
    super();
    this.polls = byOutcome(POLL_OUTCOMES, (outcome) =>
      metrics.tally(metrics.polls.labels({ provider, outcome })),
    );
    this.requests = metrics.tally(metrics.requests.labels({ provider }));
    metrics.requestSeconds.zero({ provider });
    this.requestSeconds = metrics.requestSeconds.labels({ provider });
    for (const status of STATUSES) metrics.gapSeconds.zero({ provider, status });
    this.gapSeconds = new Map(
      STATUSES.map((status) => [status, metrics.gapSeconds.labels({ provider, status })]),
    );
    this.stalePolls = fromZero(metrics.stalePolls.labels({ provider }));
    this.notices = byOutcome(NOTICE_OUTCOMES, (outcome) =>
      fromZero(metrics.notices.labels({ provider, outcome })),
    );
    this.unfitQuotes = fromZero(metrics.unfitQuotes.labels({ provider }));
  }

  polled(outcome: PollOutcome, urgency: UrgencyClass): void {
    this.polls[outcome].increment();
    this.figures.countOf(this.provider, POLLS[outcome]);
    this.figures.countOf(this.provider, CLASSES[urgency] ?? '');
  }

  requested(durationMs: number): void {
    this.requests.increment();
    observe(this.requestSeconds, durationMs);
    this.figures.timeOf(this.provider, 'requests', durationMs);
  }

  detected(status: Status, gapMs: number): void {
    const series = this.gapSeconds.get(status);
    if (series !== undefined) observe(series, gapMs);
    this.figures.timeOf(this.provider, 'gap', gapMs);
  }

  stale(count: number): void {
    if (count > 0 && Number.isFinite(count)) this.stalePolls.inc(count);
  }

  noticed(outcome: NoticeOutcome): void {
    this.notices[outcome].inc();
  }

  unfitQuote(): void {
    this.unfitQuotes.inc();
  }
}

function byOutcome<Outcome extends string, Series>(
  outcomes: readonly Outcome[],
  seriesOf: (outcome: Outcome) => Series,
): Readonly<Record<Outcome, Series>> {
  return Object.fromEntries(outcomes.map((outcome) => [outcome, seriesOf(outcome)])) as Record<
    Outcome,
    Series
  >;
}

function fromZero(series: Counter.Internal): Counter.Internal {
  series.inc(0);
  return series;
}
