import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';

import type { AuditEntry } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/form.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import { auditQuery, type AuditFilter } from './access-queries.ts';
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
        <TextField name="action" label="What" placeholder="endpoint.create" />
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
        <code>{action}</code> {isRefused ? <Tag tone="bad">refused {status}</Tag> : null}
        <span className={table['dim']} title={target ?? undefined}>
          {target === null ? '' : ` ${target.length > 24 ? `${target.slice(0, 8)}…` : target}`}
        </span>
      </td>
      <td className={`${table['optional']} ${styles['values']}`}>
        <code>{Object.keys(values).length === 0 ? '' : JSON.stringify(values)}</code>
      </td>
      <td className={`${table['optional']} ${table['dim']}`}>{address ?? via}</td>
    </tr>
  );
}
