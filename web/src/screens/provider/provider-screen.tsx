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
            {data.host === null ? '' : ` · ${data.host}`} · updated <Ago at={data.checkedAt} />
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
  in_flight: 'Deposit received, or executing',
  attended: 'Awaiting the deposit',
  unattended: 'Awaiting, the quote is over',
  watching: 'Expired or failed, still watched',
};

function Classes({ classes }: { classes: readonly UrgencyClass[] }) {
  return (
    <Panel title="Payments by urgency" isFlush>
      <table className={table['table']}>
        <thead>
          <tr>
            <th scope="col">Payments that are</th>
            <th scope="col" className={table['number']}>
              Number
            </th>
            <th scope="col" className={table['number']}>
              Late
            </th>
            <th scope="col" className={`${table['number']} ${table['optional']}`}>
              Polls needed a minute
            </th>
            <th scope="col" className={`${table['number']} ${table['optional']}`}>
              Made in the last one
            </th>
            <th scope="col" className={`${table['number']} ${table['optional']}`}>
              Interval
            </th>
          </tr>
        </thead>
        <tbody>
          {classes.map(({ name, payments, overdue, wantedPerMinute, polledLastMinute, scale }) => (
            <tr key={name}>
              <td>{CLASS_NAMES[name] ?? name}</td>
              <td className={table['number']}>{count(payments)}</td>
              <td className={table['number']}>{count(overdue)}</td>
              <td className={`${table['number']} ${table['optional']}`}>{count(wantedPerMinute)}</td>
              <td className={`${table['number']} ${table['optional']}`}>{count(polledLastMinute)}</td>
              <td className={`${table['number']} ${table['optional']}`}>
                {scale === 1 ? 'as set' : `${scale} times as long`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  refused: 'refused',
  throttled: 'slow down',
  credentials: 'key not accepted',
  misconfigured: 'wrong address',
  unavailable: 'no usable answer',
};

/** The status once, where the message does not have it. */
function refusalWords(message: string, httpStatus: number | null): string {
  if (httpStatus === null || message.includes(String(httpStatus))) return message;
  return `HTTP ${httpStatus}: ${message}`;
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
                <td>{asked === 'status' ? 'a status' : `the ${asked}`}</td>
                <td className={styles['message']}>
                  <Tag tone={kind === 'refused' ? 'wait' : 'bad'}>{KINDS[kind] ?? kind}</Tag>{' '}
                  <span className={table['dim']}>{refusalWords(message, httpStatus)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
