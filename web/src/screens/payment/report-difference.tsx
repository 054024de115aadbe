import { useState } from 'react';

import type { PaymentEvent } from '../../api/types.ts';
import { differencesOf } from '../../../../src/domain/story/differences.ts';
import styles from './timeline.module.css';

interface ReportDifferenceProps {
  readonly event: PaymentEvent;
  readonly events: readonly PaymentEvent[];
}

/** A report's content, compared with an earlier one: by default the one before it. */
export function ReportDifference({ event, events }: ReportDifferenceProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles['report']} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>What the report says</summary>
      {isOpen ? <Differences event={event} events={events} /> : null}
    </details>
  );
}

function Differences({ event, events }: ReportDifferenceProps) {
  const others = events.filter(({ id, data }) => id !== event.id && data.payment !== null);
  const before = others.findLast(({ data }) => data.sequence < event.data.sequence);
  const [chosen, setChosen] = useState(before?.id ?? '');
  const other = others.find(({ id }) => id === chosen);
  const differences = differencesOf(other?.data.payment ?? null, event.data.payment);
  return (
    <div className={styles['differences']}>
      {others.length === 0 ? null : (
        <label className={styles['compare']}>
          Compared with{' '}
          <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">nothing: all fields</option>
            {others.map(({ id, type, data }) => (
              <option key={id} value={id}>
                #{data.sequence} {type}
              </option>
            ))}
          </select>
        </label>
      )}
      {differences.length === 0 ? (
        <p className={styles['dim']}>The two reports say the same.</p>
      ) : (
        <dl className={styles['fields']}>
          {differences.map(({ path, before: old, after }) => (
            <div key={path}>
              <dt>
                <code>{path}</code>
              </dt>
              <dd>
                {old === null ? null : <del>{old}</del>}
                {after === null ? <span className={styles['dim']}>gone</span> : <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
