import { setTimeout as sleep } from 'node:timers/promises';

import type { Session } from '../api/session.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { factsOf } from '../output/table.ts';

export interface RecoverOptions {
  readonly since: string;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly json?: true;
}

interface Recovery {
  readonly id: string | null;
  readonly state: string | null;
  readonly count: number;
  readonly exact: boolean;
  readonly done: number;
}

const ASK_EVERY_MS = 500;
const PATIENCE_MS = 60_000;

export async function recoverEndpoint(session: Session, id: string, options: RecoverOptions): Promise<void> {
  const { since, dryRun = false, wait, json } = options;
  const asked = { path: { id }, body: { since, dryRun } };
  const started = await session.api.call('post', '/api/webhook-endpoints/{id}/recover', asked);
  const recoveryId = started.data.id;
  const { text, data } =
    wait === true && recoveryId !== null ? await ended(session, id, recoveryId) : started;
  await print(json === true ? `${text}\n` : recoveryFacts(data, dryRun));
  if (data.state === 'stopped')
    throw new CommandError('The recovery was stopped before its end.', ExitStatus.failed);
}

/** The recovery continues even without the command. */
async function ended(
  { api, signal }: Session,
  id: string,
  recoveryId: string,
): Promise<{ text: string; data: Recovery }> {
  return withProgress('Queued', null, async (advance) => {
    for (let before = 0; ;) {
      const path = { id, recoveryId };
      const route = '/api/webhook-endpoints/{id}/recoveries/{recoveryId}';
      const answer = await api.callPatiently(PATIENCE_MS, 'get', route, { path });
      const { state, count, exact, done } = answer.data;
      advance(done - before, exact ? count : undefined);
      before = done;
      if (state !== 'running') return answer;
      await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });
}

function recoveryFacts({ id, state, count, exact, done }: Recovery, isDry: boolean): string {
  const events = exact ? count : `more than ${count}`;
  if (isDry) return factsOf([['events not acknowledged', events]]);
  return factsOf([
    ['recovery', id],
    ['state', state],
    ['events', events],
    ['queued again', done],
  ]);
}
