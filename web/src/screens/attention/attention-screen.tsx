import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import type { AttentionItem } from '../../api/overview-types.ts';
import { endpointName } from '../../api/queries.ts';
import { counted } from '../../format/amount.ts';
import { cx } from '../../ui/cx.ts';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Said } from '../../ui/said.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { screenOf } from './attention-links.ts';
import { attentionQuery } from './attention-query.ts';
import { isOfEndpoints, itemCount, itemTitle } from './attention-words.ts';
import styles from './attention.module.css';
import { FirstSteps } from './first-steps.tsx';
import { Overview } from './overview.tsx';
import { ProofsOfDay } from './proofs-of-day.tsx';
import { TokenSums } from './token-sums.tsx';

const SHOWN_ENDPOINTS = 3;
const MOST_IN_ROW = 4;

/** The items that need a person; below them, an overview. */
export function AttentionScreen() {
  const { data, error, refetch } = useQuery(attentionQuery());
  return (
    <Page
      title="Attention"
      beside={
        data === undefined ? null : (
          <span>
            updated <Ago at={data.checkedAt} />
          </span>
        )
      }
    >
      {data === undefined && error !== null ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <Skeleton lines={4} /> : null}
      {data?.firstSteps === undefined ? null : <FirstSteps steps={data.firstSteps} />}
      {data?.items.length === 0 && data.firstSteps === undefined ? (
        <div className={styles['nothing']}>
          <h2>Nothing needs you</h2>
          <p>
            Checked at <Time at={data.checkedAt} />: every payment moves, and every event was acknowledged or
            is on its way.
          </p>
        </div>
      ) : null}
      {data === undefined || data.items.length === 0 ? null : (
        <ul className={styles['cards']} data-columns={columnsFor(data.items.length)}>
          {data.items.map((item) => (
            <ItemCard key={item.code} item={item} />
          ))}
        </ul>
      )}
      <Overview inFlight={data?.inFlight} />
      {data?.proofs === undefined ? null : <ProofsOfDay proofs={data.proofs} />}
    </Page>
  );
}

/** At most four in a row, in rows of about the same length: no card stands alone. */
function columnsFor(cards: number): number {
  return Math.ceil(cards / Math.ceil(cards / MOST_IN_ROW));
}

function ItemCard({ item }: { item: AttentionItem }) {
  const { code, severity, href, since, detail, endpoints, payments } = item;
  const { to, search, params } = screenOf(href);
  return (
    <li className={cx(styles['card'], styles[severity])}>
      <Link to={to} params={params as never} search={search as never} className={styles['cover']}>
        <span className={styles['title']}>{itemTitle(code)}</span>
        <span className={styles['big']}>{itemCount(item)}</span>
      </Link>
      {payments && payments.count > 0 && isOfEndpoints(code) ? (
        <p className={styles['detail']}>
          {payments.isMore ? 'over ' : ''}
          {counted(payments.count, 'payment')} not told
        </p>
      ) : null}
      {payments ? <TokenSums payments={payments} /> : null}
      <p className={styles['detail']}>
        <Said text={detail} />
      </p>
      {endpoints.slice(0, SHOWN_ENDPOINTS).map((endpoint) => (
        <p key={endpoint.id} className={styles['endpoint']}>
          <Link to="/endpoints/$endpointId" params={{ endpointId: endpoint.id }}>
            {endpointName(endpoint)}
          </Link>
        </p>
      ))}
      {since === null ? null : (
        <p className={styles['since']}>
          since <Time at={since} />, <Ago at={since} />
        </p>
      )}
    </li>
  );
}
