import { ago, localTime, until, utcTime } from '../format/time.ts';
import table from './table.module.css';
import { useNow } from './use-now.ts';

interface TimeProps {
  readonly at: string | number | null | undefined;
  /** The text without a time. */
  readonly none?: string;
}

/** A local time; hovering shows it in UTC with milliseconds. */
export function Time({ at, none = '–' }: TimeProps) {
  if (at === null || at === undefined) return <>{none}</>;
  return (
    <time dateTime={new Date(at).toISOString()} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}

/** `12 s ago`. */
export function Ago({ at, none = 'never' }: TimeProps) {
  const now = useNow();
  if (at === null || at === undefined) return <>{none}</>;
  return (
    <time dateTime={new Date(at).toISOString()} title={`${localTime(at, now)} · ${utcTime(at)}`}>
      {ago(at, now)}
    </time>
  );
}

/** When something last changed; hovering also shows when it was created. */
export function Changed({ at, createdAt }: { readonly at: string; readonly createdAt: string }) {
  const now = useNow();
  const full = (time: string): string => `${localTime(time, now)} · ${utcTime(time)}`;
  return (
    <time
      className={table['hovered']}
      dateTime={at}
      title={`Changed ${full(at)}\nCreated ${full(createdAt)}`}
    >
      {ago(at, now)}
    </time>
  );
}

/** `in 48 s`. */
export function Until({ at, none = '–' }: TimeProps) {
  const now = useNow();
  if (at === null || at === undefined) return <>{none}</>;
  return (
    <time dateTime={new Date(at).toISOString()} title={`${localTime(at, now)} · ${utcTime(at)}`}>
      {until(at, now)}
    </time>
  );
}
