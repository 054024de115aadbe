import type { ProviderState, UrgencyClass } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { cx } from '../../ui/cx.ts';
import { Empty } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './provider.module.css';

const CLASS_NAMES: Readonly<Record<string, string>> = {
  in_flight: 'Deposit received, or executing',
  attended: 'Awaiting the deposit',
  unattended: 'Awaiting, the quote is over',
  watching: 'Expired or failed, still watched',
};

export function Classes({ classes }: { classes: readonly UrgencyClass[] }) {
  return (
    <Panel title="Payments by urgency" isFlush>
      <div className={styles['room']}>
        <table className={cx(table['table'], styles['table'])}>
          <thead>
            <tr>
              <th scope="col">Payments that are</th>
              <th scope="col" className={table['number']}>
                Number
              </th>
              <th scope="col" className={table['number']}>
                Late
              </th>
              <th scope="col" className={cx(table['number'], table['optional'], styles['optional'])}>
                Polls needed a minute
              </th>
              <th scope="col" className={cx(table['number'], table['optional'], styles['optional'])}>
                Made in the last one
              </th>
              <th scope="col" className={cx(table['number'], table['optional'], styles['optional'])}>
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
                <td className={cx(table['number'], table['optional'], styles['optional'])}>
                  {count(wantedPerMinute)}
                </td>
                <td className={cx(table['number'], table['optional'], styles['optional'])}>
                  {count(polledLastMinute)}
                </td>
                <td className={cx(table['number'], table['optional'], styles['optional'])}>
                  {scale === 1 ? 'as set' : `${scale} times as long`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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

/** Shows the status once, if the message lacks it. */
function refusalWords(message: string, httpStatus: number | null): string {
  if (httpStatus === null || message.includes(String(httpStatus))) return message;
  return `HTTP ${httpStatus}: ${message}`;
}

export function Refusals({ state: { lastRefusals } }: { state: ProviderState }) {
  return (
    <Panel title="Last refusals" isFlush>
      {lastRefusals.length === 0 ? (
        <Empty title="None">The provider has refused nothing lately.</Empty>
      ) : (
        <table className={cx(table['table'], styles['table'])}>
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
