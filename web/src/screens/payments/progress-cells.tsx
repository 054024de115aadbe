import { useQuery } from '@tanstack/react-query';

import { endpointNames, endpointsQuery, nameIn } from '../../api/queries.ts';
import type { Delivery, Payment } from '../../api/types.ts';
import { attemptWords } from '../../format/failures.ts';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Until } from '../../ui/time.tsx';
import { useProgressOf } from './progress.ts';

/** When the provider is asked next; `watched`: the payment expired or failed, and may still be paid. */
export function NextPollCell({ payment }: { payment: Payment }) {
  const at = useProgressOf(payment)?.nextPollAt ?? payment.nextPollAt;
  if (payment.tracking === 'closed' || at === null) return <>–</>;
  return (
    <>
      {payment.tracking === 'watching' ? 'watched, ' : null}
      <Until at={at} />
    </>
  );
}

/** What the endpoints have acknowledged: the worst of them, and where they differ, its name. */
export function WebhooksCell({ payment }: { payment: Payment }) {
  const deliveries = useProgressOf(payment)?.deliveries ?? [];
  const { data: names } = useQuery({ ...endpointsQuery(), select: endpointNames });
  const [worst] = deliveries.toSorted((one, other) => severity(other) - severity(one));
  if (worst === undefined) return <>–</>;
  const name =
    deliveries.length === 1 || severity(worst) === 0
      ? ''
      : `${nameIn(names ?? new Map(), worst.endpointId)}: `;
  const trouble = troubleOf(worst);
  if (trouble !== null) return <Tag tone="bad">{`${name}${trouble}`}</Tag>;
  if (worst.state === 'pending') return <>{name}under way</>;
  return (
    <>
      acknowledged <Ago at={worst.lastAttemptAt} />
    </>
  );
}

/** 2: something is wrong; 1: it is under way; 0: it is acknowledged. */
function severity(delivery: Delivery): number {
  if (delivery.state === 'delivered') return 0;
  return troubleOf(delivery) === null ? 1 : 2;
}

const WAITS: Readonly<Record<string, string>> = {
  circuit: 'endpoint is down',
  disabled_endpoint: 'endpoint is disabled',
  secret_unreadable: 'secret can not be read',
};

/** `503, attempt 3`, or what keeps it from being tried; null where nothing is wrong. */
function troubleOf({
  state,
  attemptCount,
  lastFailure,
  lastHttpStatus,
  waitingFor,
}: Delivery): string | null {
  if (lastFailure === null) return WAITS[waitingFor ?? ''] ?? null;
  const words = lastHttpStatus === null ? attemptWords(lastFailure, null) : String(lastHttpStatus);
  return state === 'failed' ? `${words}, given up` : `${words}, attempt ${attemptCount}`;
}
