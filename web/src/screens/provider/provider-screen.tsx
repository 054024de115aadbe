import { useQuery } from '@tanstack/react-query';

import type { ProviderState, UrgencyClass } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import layout from '../../ui/layout.module.css';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ProviderCharts } from './provider-charts.tsx';
import { Budget, LastHour, Limits } from './provider-panels.tsx';
import { providerQuery } from './provider-query.ts';
import styles from './provider.module.css';
import { sayProvider } from './say-provider.ts';

export function ProviderScreen() {
  const { data, error, refetch } = useQuery(providerQuery());
  if (data === undefined)
    return (
      <Page title="Provider">
        {error === null ? (
          <Panel>
            <Skeleton lines={6} />
          </Panel>
        ) : (
          <ProblemNote error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  return (
    <Page
      title="Provider"
      beside={
        <>
          <Tag tone={data.status === 'ok' ? 'ok' : 'bad'}>{data.status === 'ok' ? 'Works' : 'Degraded'}</Tag>
          <span>
            {data.name}
            {data.host === null ? '' : ` · ${data.host}`} · looked <Ago at={data.checkedAt} />
          </span>
        </>
      }
    >
      <Saying state={data} />
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <ProviderCharts limit={data.limits.requestsPerMinute} />
          <Classes classes={data.classes} />
          <Refusals state={data} />
        </div>
        <div className={layout['stack']}>
          <Budget state={data} />
          <LastHour state={data} />
          <Limits state={data} />
        </div>
      </div>
    </Page>
  );
}

function Saying({ state }: { state: ProviderState }) {
  return <p className={layout['sentence']}>{sayProvider(state, useNow())}</p>;
}

const CLASS_NAMES: Readonly<Record<string, string>> = {
  in_flight: 'Past the deposit',
  attended: 'Awaiting, in time',
  unattended: 'Awaiting, over time',
  watching: 'Ended, still watched',
};

function Classes({ classes }: { classes: readonly UrgencyClass[] }) {
  return (
    <Panel title="Payments by urgency" isFlush>
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Class</th>
            {['Payments', 'Overdue', 'Wanted / min', 'Asked / min', 'Interval'].map((name) => (
              <th key={name} scope="col" className={table['number']}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {classes.map(({ name, payments, overdue, wantedPerMinute, polledLastMinute, scale }) => (
            <tr key={name}>
              <td>{CLASS_NAMES[name] ?? name}</td>
              <td className={table['number']}>{count(payments)}</td>
              <td className={table['number']}>{count(overdue)}</td>
              <td className={table['number']}>{count(wantedPerMinute)}</td>
              <td className={table['number']}>{count(polledLastMinute)}</td>
              <td className={table['number']}>{scale === 1 ? 'as set' : `× ${scale}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Refusals({ state: { lastRefusals } }: { state: ProviderState }) {
  return (
    <Panel title="Last refusals" isFlush>
      {lastRefusals.length === 0 ? (
        <Empty title="None">The provider has refused nothing lately.</Empty>
      ) : (
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Asked for</th>
              <th scope="col">What came back</th>
            </tr>
          </thead>
          <tbody>
            {lastRefusals.map(({ at, asked, kind, httpStatus, message, replicaId }) => (
              <tr key={`${at} ${replicaId} ${message}`}>
                <td className={table['dim']}>
                  <Time at={at} />
                </td>
                <td>{asked}</td>
                <td className={styles['message']}>
                  <Tag tone={kind === 'refused' ? 'wait' : 'bad'}>
                    {httpStatus === null ? kind : `${kind} ${httpStatus}`}
                  </Tag>{' '}
                  <span className={table['dim']}>{message}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
