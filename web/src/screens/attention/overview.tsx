import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { failedOf, figuresQuery, seriesOf, timesOf } from '../../api/figures-query.ts';
import type { Figures, PaymentSums, ProviderState, Quantiles } from '../../api/overview-types.ts';
import { count, counted } from '../../format/amount.ts';
import { took } from '../../format/time.ts';
import { providerName } from '../../format/words.ts';
import { Spark } from '../../ui/spark.tsx';
import { providersQuery } from '../provider/provider-query.ts';
import styles from './attention.module.css';
import { TokenSums } from './token-sums.tsx';

const IN_FLIGHT = { status: ['DEPOSIT_RECEIVED', 'EXECUTING'], resolved: 'false' };

/** The money in flight; then the last hour: how fast shops were told, deliveries, and requests to the provider. */
export function Overview({ inFlight }: { inFlight: PaymentSums | undefined }) {
  const { data: figures } = useQuery(figuresQuery('1 h'));
  const { data: providers = [] } = useQuery(providersQuery());
  if (figures === undefined || inFlight === undefined) return null;
  // Zero is only a lower bound while the database does not answer.
  if (inFlight.count === 0 && inFlight.isMore) return null;
  const times = timesOf(figures);
  const of = <None extends number | null>(
    valueOf: (point: Figures['all'][number]) => number | None,
    none: None,
  ) => seriesOf(times, figures.all, valueOf, none);
  const delivered = of(({ deliveries }) => deliveries.delivered, 0);
  const failed = of(({ deliveries }) => failedOf(deliveries), 0);
  const polls = of((point) => sum(Object.values(point.polls)), 0);
  const { p50 = null, p95 = null } = worstOf(figures) ?? {};
  const limit = limitOf(providers);
  return (
    <section aria-label="Now, and the last hour" className={styles['overview']}>
      <div className={styles['figure']}>
        <Link to="/payments" search={IN_FLIGHT as never} className={styles['title']}>
          Money in flight
        </Link>
        {inFlight.count === 0 ? (
          <small>No deposit is on its way.</small>
        ) : (
          <>
            <span className={styles['big']}>
              {inFlight.isMore ? 'over ' : ''}
              {counted(inFlight.count, 'payment')}
            </span>
            <TokenSums payments={inFlight} />
            <small>paid, and not yet completed or failed</small>
          </>
        )}
      </div>
      <div className={styles['figure']}>
        <span className={styles['title']}>Delivered in (median)</span>
        <span className={styles['big']}>{p50 === null ? '–' : took(p50)}</span>
        <Spark values={of(({ latency }) => latency.p50, null)} color="accent" />
        <small>
          {p95 === null
            ? 'nothing was delivered in the last hour'
            : `of the last hour; 95 % within ${took(p95)}`}
        </small>
      </div>
      <div className={styles['figure']}>
        <Link to="/deliveries" className={styles['title']}>
          Deliveries
        </Link>
        <span className={styles['big']}>
          {count(sum(delivered))}{' '}
          <span className={styles['beside']}>{counted(sum(failed), 'failed attempt')}</span>
        </span>
        <Spark values={delivered} other={failed} color="ok" />
        <small>in the last hour</small>
      </div>
      <div className={styles['figure']}>
        <Link to="/provider" className={styles['title']}>
          {providers.length > 1 ? 'Requests to the providers' : 'Requests to the provider'}
        </Link>
        <span className={styles['big']}>
          {count(sum(providers.map(({ budget }) => budget.usedLastMinute)))}{' '}
          <span className={styles['beside']}>
            {limit === null ? 'in the last minute' : `of ${count(limit)} a minute`}
          </span>
        </span>
        <Spark values={polls} color="accent" />
        <small>{pollingWords(providers)}</small>
      </div>
    </section>
  );
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

/** Quantiles cannot be added up: those of the busiest endpoint stand for all endpoints. */
function worstOf({ endpoints }: Figures): Quantiles | null {
  const known = endpoints.map(({ latency }) => latency).filter(({ count: deliveries }) => deliveries > 0);
  return known.sort((one, other) => other.count - one.count)[0] ?? null;
}

/** The sum over all providers; null: at least one has no limit. */
function limitOf(providers: readonly ProviderState[]): number | null {
  const limits = providers.map(({ limits: { requestsPerMinute } }) => requestsPerMinute);
  return limits.length === 0 || limits.includes(null) ? null : sum(limits);
}

/** Never says that all is well if requests are refused, or if none was made. */
function pollingWords(providers: readonly ProviderState[]): string {
  const isOnly = providers.length === 1;
  for (const provider of providers) {
    const who = isOnly ? 'the provider' : providerName(provider.name);
    if (provider.keyRefused) return `${who} refuses the key`;
    if (provider.circuit.state === 'open') return `${who} does not answer: only probes go out`;
  }
  const longest = Math.max(1, ...providers.flatMap(({ classes }) => classes.map(({ scale }) => scale)));
  if (longest > 1) return `intervals up to ${longest} times as long`;
  return providers.every(({ budget }) => budget.usedLastMinute === 0) ? '' : 'intervals as set';
}
