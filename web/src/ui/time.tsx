import { ago, dueTime, exactTime, localTime } from '../format/time.ts';
import table from './table.module.css';
import { useNow } from './use-now.ts';

interface TimeProps {
  readonly at: string | number | null | undefined;
  /** The text without a time. */
  readonly none?: string;
}

/** A local time; hovering shows its zone, and the time in UTC to the millisecond. */
export function Time({ at, none = '–' }: TimeProps) {
  return at === null || at === undefined ? <>{none}</> : <Hovered at={at} words={localTime(at)} />;
}

/** `12 s ago`, beyond a day a local time. */
export function Ago({ at, none = 'never' }: TimeProps) {
  const now = useNow();
  return at === null || at === undefined ? <>{none}</> : <Hovered at={at} words={ago(at, now)} />;
}

/** When something last changed; hovering also shows when it was created. */
export function Changed({ at, createdAt }: { readonly at: string; readonly createdAt: string }) {
  const now = useNow();
  return (
    <time
      className={table['hovered']}
      dateTime={at}
      title={`Changed ${exactTime(at)}\n\nCreated ${exactTime(createdAt)}`}
    >
      {ago(at, now)}
    </time>
  );
}

/** `in 48 s`, beyond a day a local time. */
export function Until({ at, none = '–' }: TimeProps) {
  const now = useNow();
  return at === null || at === undefined ? <>{none}</> : <Hovered at={at} words={dueTime(at, now)} />;
}

function Hovered({ at, words }: { readonly at: string | number; readonly words: string }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {words}
    </time>
  );
}
