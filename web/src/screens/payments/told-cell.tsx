import { useQuery } from '@tanstack/react-query';

import { destinationsQuery, nameOf, whileAway } from '../../api/queries.ts';
import type { Destination, Payment, Progress } from '../../api/types.ts';
import { attemptWords } from '../../../../src/domain/story/failure-words.ts';
import { stateWord, type Tone } from '../../format/words.ts';
import { cx } from '../../ui/cx.ts';
import dot from '../../ui/dot.module.css';
import styles from './payments.module.css';
import { useProgressOf } from './progress.ts';

interface Told {
  readonly key: string;
  readonly name: string;
  readonly tone: Tone;
  /** Why the destination is not told; empty if it is told or just being told. */
  readonly trouble: string;
}

type Sent = Pick<
  Progress['deliveries'][number],
  'state' | 'attemptCount' | 'lastFailure' | 'lastHttpStatus'
> & {
  readonly waitingFor: string | null;
};

/** Each destination of the payment's events, untold ones first, with the reason. */
export function ToldCell({ payment }: { payment: Payment }) {
  const progress = useProgressOf(payment);
  const { data: destinations } = useQuery(destinationsQuery());
  const all = toldOf(progress, destinations ?? []);
  if (all.length === 0) return <>–</>;
  return (
    <ul className={styles['told']}>
      {all.map(({ key, name, tone, trouble }) => (
        <li key={key} className={cx(trouble !== '' && styles['untold'])}>
          <i className={cx(dot['dot'], dot[tone])} aria-hidden="true" />
          {name} <span>{trouble === '' ? wordOf(tone) : trouble}</span>
        </li>
      ))}
    </ul>
  );
}

function wordOf(tone: Tone): string {
  return tone === 'ok' ? 'told' : 'under way';
}

/** Exported for its test: the destinations of a payment, those with trouble first. */
export function toldOf(progress: Progress | undefined, destinations: readonly Destination[]): Told[] {
  if (progress === undefined) return [];
  const { deliveries, exchange } = progress;
  return [...(exchange === null ? [] : [exchange]), ...deliveries]
    .map((sent) => toldTo(sent.endpointId, nameOf(sent), whileAway(sent, destinations)))
    .sort((one, other) => rank(one) - rank(other));
}

function rank({ tone }: Told): number {
  return ['bad', 'warn', 'busy'].indexOf(tone) + 1 || 4;
}

function toldTo(key: string, name: string, sent: Sent): Told {
  const trouble = troubleOf(sent);
  if (trouble !== '') return { key, name, tone: 'bad', trouble };
  if (sent.state === 'pending') return { key, name, tone: 'busy', trouble };
  return { key, name, tone: stateWord(sent.state).tone, trouble };
}

const WAITS: Readonly<Record<string, string>> = {
  circuit: 'is down',
  broker: 'is away',
  disabled_endpoint: 'is disabled',
  secret_unreadable: 'secret unreadable',
};

/** `503 ×3`, or what holds the event back; empty if all is well. */
function troubleOf({ state, attemptCount, lastFailure, lastHttpStatus, waitingFor }: Sent): string {
  if (state === 'delivered' || state === 'discarded') return '';
  if (lastFailure === null) return WAITS[waitingFor ?? ''] ?? '';
  const words = lastHttpStatus === null ? attemptWords(lastFailure, null) : String(lastHttpStatus);
  const times = attemptCount > 1 ? ` ×${attemptCount}` : '';
  return state === 'failed' ? `${words}${times}, given up` : `${words}${times}`;
}
