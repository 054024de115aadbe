import { useQuery } from '@tanstack/react-query';

import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { attentionQuery } from './attention-query.ts';
import { cardsOf } from './attention-words.ts';
import styles from './attention.module.css';
import { FirstSteps } from './first-steps.tsx';
import { ItemCard } from './item-card.tsx';
import { Overview } from './overview.tsx';
import { ProofsOfDay } from './proofs-of-day.tsx';

const MOST_IN_ROW = 4;

/** The items that need a person; below them, an overview. */
export function AttentionScreen() {
  const { data, error, refetch } = useQuery(attentionQuery());
  const cards = cardsOf(data?.items ?? []);
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
      {data?.items.length === 0 && data.firstSteps === undefined ? (
        <div className={styles['nothing']}>
          <h2>Nothing needs you</h2>
          <p>
            Checked at <Time at={data.checkedAt} />: every payment moves, and every event was acknowledged or
            is on its way.
          </p>
        </div>
      ) : null}
      {cards.length === 0 ? null : (
        <ul className={styles['cards']} data-columns={columnsFor(cards.length)}>
          {cards.map((item) => (
            <ItemCard key={item.code} item={item} />
          ))}
        </ul>
      )}
      {data?.firstSteps === undefined ? null : <FirstSteps steps={data.firstSteps} />}
      <Overview inFlight={data?.inFlight} />
      {data?.proofs === undefined ? null : <ProofsOfDay proofs={data.proofs} />}
    </Page>
  );
}

/** At most four cards in a row, in rows of about the same length: no card stands alone. */
function columnsFor(cards: number): number {
  return Math.ceil(cards / Math.ceil(cards / MOST_IN_ROW));
}
