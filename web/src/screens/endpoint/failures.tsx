import { useQuery } from '@tanstack/react-query';

import type { Delivery } from '../../api/types.ts';
import { count, counted } from '../../format/amount.ts';
import { failureWords } from '../../format/failures.ts';
import { Panel } from '../../ui/panel.tsx';
import { Ago } from '../../ui/time.tsx';
import { troublesQuery } from './endpoint-queries.ts';
import styles from './endpoint.module.css';
import { groupBy } from '../../format/group-by.ts';

/** How the deliveries failed that it has not acknowledged, the most frequent way first, and what to do. */
export function Failures({ endpointId }: { endpointId: string }) {
  const { data = [] } = useQuery(troublesQuery(endpointId));
  const groups = groupsOf(data);
  if (groups.length === 0) return null;
  return (
    <Panel title="How it fails">
      <ul className={styles['failures']}>
        {groups.map(({ failure, httpStatus, deliveries, last }) => {
          const { text, advice } = failureWords(failure);
          return (
            <li key={`${failure} ${httpStatus}`} className={styles['failure']}>
              <b aria-hidden="true">{count(deliveries)}</b>
              <div>
                <strong>
                  {text}
                  {httpStatus === null ? '' : `: ${httpStatus}`}
                </strong>{' '}
                <span className={styles['dim']}>
                  {counted(deliveries, 'delivery', 'deliveries')}, the last <Ago at={last} />
                </span>
                <p>{advice}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

interface FailureGroup {
  readonly failure: string;
  readonly httpStatus: number | null;
  readonly deliveries: number;
  readonly last: string | null;
}

function groupsOf(deliveries: readonly Delivery[]): FailureGroup[] {
  const failed = deliveries.filter(({ lastFailure }) => lastFailure !== null);
  const groups = groupBy(failed, ({ lastFailure, lastHttpStatus }) => `${lastFailure} ${lastHttpStatus}`);
  return [...groups.values()]
    .flatMap((group): FailureGroup[] => {
      const [first] = group;
      if (first === undefined) return [];
      const times = group.flatMap(({ lastAttemptAt }) => lastAttemptAt ?? []).sort();
      return [
        {
          failure: first.lastFailure ?? '',
          httpStatus: first.lastHttpStatus,
          deliveries: group.length,
          last: times.at(-1) ?? null,
        },
      ];
    })
    .sort((one, other) => other.deliveries - one.deliveries);
}
