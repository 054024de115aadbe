import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';

import type { AuditEntry } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/form.tsx';
import form from '../../ui/form.module.css';
import { More } from '../../ui/more.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import { auditQuery, type AuditFilter } from './access-queries.ts';
import { ACTIONS, actionWords } from './action-words.ts';
import styles from './access.module.css';
import { textIn } from '../../ui/form-text.ts';

/** Who changed what, when, from where and with which values. */
export function Audit() {
  const [filter, setFilter] = useState<AuditFilter>({});
  const list = useInfiniteQuery(auditQuery(filter));

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const word = (name: string): string | undefined => textIn(data, name) || undefined;
    setFilter({ who: word('who'), action: word('action'), target: word('target') });
  }

  return (
    <>
      <form onSubmit={submit} className={styles['filter']}>
        <TextField name="who" label="Who" placeholder="name of a key" />
        <div className={form['field']}>
          <label htmlFor="audit-action" className={form['label']}>
            What
          </label>
          <select id="audit-action" name="action" className={form['input']}>
            <option value="">anything</option>
            {ACTIONS.map((action) => (
              <option key={action} value={action}>
                {actionWords(action)}
              </option>
            ))}
          </select>
        </div>
        <TextField name="target" label="On what" placeholder="id or name" />
        <Button type="submit">Show</Button>
      </form>
      {list.isError && list.data === undefined ? (
        <ProblemNote error={list.error} onRetry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <Skeleton lines={6} isTall /> : null}
      {list.data === undefined ? null : (
        <AuditTable entries={list.data.pages.flatMap(({ data }) => data)}>
          <More list={list}>Show older changes</More>
        </AuditTable>
      )}
    </>
  );
}

function AuditTable({ entries, children }: { entries: readonly AuditEntry[]; children: ReactNode }) {
  if (entries.length === 0) return <Empty title="No change matches" />;
  return (
    <Panel isFlush>
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col" className={table['optional']}>
              With
            </th>
            <th scope="col" className={table['optional']}>
              From
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
      {children}
    </Panel>
  );
}

/** The changed object, with a link if it has a page. */
function Target({ action, target }: { action: string; target: string }) {
  const [kind] = action.split('.');
  const shown = target.length > 24 ? `${target.slice(0, 8)}…` : target;
  if (kind === 'endpoint')
    return (
      <Link
        to="/endpoints/$endpointId"
        params={{ endpointId: target }}
        className={styles['link']}
        title={target}
      >
        {shown}
      </Link>
    );
  if (kind === 'delivery')
    return (
      <Link to="/deliveries/$deliveryId" params={{ deliveryId: target }} className={styles['link']}>
        {shown}
      </Link>
    );
  if (kind === 'payment' || kind === 'sandbox')
    return (
      <Link to="/payments/$quoteId" params={{ quoteId: target }} className={styles['link']} title={target}>
        {shown}
      </Link>
    );
  return (
    <span className={table['dim']} title={target}>
      {shown}
    </span>
  );
}

function valueWords(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { time, who, role, action, target, values, status, via, address } = entry;
  const isRefused = status !== null && status >= 400;
  return (
    <tr>
      <td className={table['dim']}>
        <Time at={time} />
      </td>
      <td>
        {who} <span className={`${table['dim']} ${table['optional']}`}>{role}</span>
      </td>
      <td>
        {actionWords(action)} {isRefused ? <Tag tone="bad">refused {status}</Tag> : null}
        {target === null ? null : <Target action={action} target={target} />}
      </td>
      <td className={`${table['optional']} ${styles['values']}`}>
        {Object.entries(values)
          .map(([name, value]) => `${name}: ${valueWords(value)}`)
          .join(', ')}
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>{address ?? via}</td>
    </tr>
  );
}
