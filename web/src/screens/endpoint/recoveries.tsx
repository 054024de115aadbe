import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { useRefusal } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import type { Recovery } from '../../api/types.ts';
import { count } from '../../format/amount.ts';
import type { Tone } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import { recoveriesQuery } from './endpoint-queries.ts';
import styles from './endpoint.module.css';

const SHOWN = 5;
const TONES: Readonly<Record<string, Tone>> = { running: 'busy', done: 'ok', stopped: 'warn' };

/** The last recoveries, a running one with its progress. */
export function Recoveries({ endpointId }: { endpointId: string }) {
  const { data = [] } = useQuery(recoveriesQuery(endpointId));
  if (data.length === 0) return null;
  return (
    <Panel title="Recoveries">
      {data.slice(0, SHOWN).map((recovery) => (
        <RecoveryEntry key={recovery.id} recovery={recovery} />
      ))}
    </Panel>
  );
}

function RecoveryEntry({
  recovery: { id, endpointId, state, since, count: all, exact, done, createdAt },
}: {
  recovery: Recovery;
}) {
  return (
    <article className={styles['recovery']}>
      <header>
        <span>
          Since <Time at={since} />
        </span>
        <Tag tone={TONES[state] ?? 'wait'}>{state}</Tag>
      </header>
      {state === 'running' ? (
        <>
          <progress value={done} max={Math.max(all, 1)} aria-label="Queued again" />
          <CancelRecovery id={id} endpointId={endpointId} />
        </>
      ) : null}
      <span className={styles['dim']}>
        {count(done)} of {exact ? '' : 'at least '}
        {count(all)} queued again, begun <Time at={createdAt} />
      </span>
    </article>
  );
}

/** Events that are already queued are delivered; a later recovery finds the rest. */
function CancelRecovery({ id, endpointId }: { id: string; endpointId: string }) {
  const client = useQueryClient();
  const refusal = useRefusal('repair');
  const cancel = useMutation({
    mutationFn: () =>
      call('post', '/api/webhook-endpoints/{id}/recoveries/{recoveryId}/cancel', {
        path: { id: endpointId, recoveryId: id },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['endpoint', endpointId, 'recoveries'] }),
  });
  return (
    <>
      {cancel.isError ? <ProblemNote error={cancel.error} /> : null}
      <Button kind="quiet" refusal={refusal} isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
        Queue no more
      </Button>
    </>
  );
}
