import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { useMay, useWhoami } from '../../access/whoami.ts';
import { call } from '../../api/client.ts';
import { requestOnce } from '../../api/request.ts';
import type { ProviderState, SystemFacts } from '../../api/overview-types.ts';
import { Problem } from '../../api/problem.ts';
import { counted } from '../../format/amount.ts';
import { providerName, type Tone } from '../../format/words.ts';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Said } from '../../ui/said.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Time } from '../../ui/time.tsx';
import { providersQuery } from '../provider/provider-query.ts';
import { attentionQuery } from '../attention/attention-query.ts';
import { Replicas } from './replicas.tsx';
import styles from './system.module.css';

interface Check {
  readonly status: string;
  readonly detail?: string;
}

interface Health {
  readonly status: string;
  readonly checks: Readonly<Record<string, Check>>;
}

/** The state of the service itself: its parts, its replicas, its release. */
export function SystemScreen() {
  const { version, sandbox, name, role, via, expiresAt, idleUntil } = useWhoami();
  const health = useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: 5_000 });
  const mayInspect = useMay('inspect');
  const attention = useQuery(attentionQuery(mayInspect));
  const providers = useQuery({ ...providersQuery(), enabled: mayInspect });
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => call('get', '/api/system', { signal }),
    enabled: mayInspect,
  });
  return (
    <Page
      title="System"
      beside={health.data === undefined ? null : <HealthTag status={health.data.status} />}
    >
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <Panel title="Health">
            {health.isPending ? <Skeleton lines={5} /> : null}
            {health.isError ? (
              <ProblemNote error={health.error} onRetry={() => void health.refetch()} />
            ) : null}
            {health.data === undefined ? null : <Checks checks={health.data.checks} />}
          </Panel>
          {attention.data === undefined ? null : <Replicas replicas={attention.data.replicas} />}
        </div>
        <div className={layout['stack']}>
          <Panel title="Release">
            <Facts
              rows={[
                ['Version', version],
                ...versionRows(system.data),
                ['Provider', sandbox ? 'sandbox: no real money moves' : providerWords(providers.data)],
                [
                  'API',
                  <a key="docs" href="/docs" className={styles['link']}>
                    /docs
                  </a>,
                ],
              ]}
            />
          </Panel>
          {system.data === undefined ? null : <Retention retention={system.data.retention} />}
          <Panel title="You">
            <Facts
              rows={[
                ['Key', name],
                ['Role', role],
                ['By', via === 'session' ? 'a session of this browser' : 'an API key'],
                idleUntil === null ? null : ['Signed out, if unused, at', <Time key="idle" at={idleUntil} />],
                expiresAt === null
                  ? null
                  : ['Signed out at the latest at', <Time key="ends" at={expiresAt} />],
              ]}
            />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

/** Each provider with its host, if that may be shown. */
function providerWords(providers: readonly ProviderState[] | undefined): string {
  if (providers === undefined) return 'real';
  return providers
    .map(({ name, host }) => (host === null ? providerName(name) : `${providerName(name)}, ${host}`))
    .join('; ');
}

function versionRows(system: SystemFacts | undefined): [string, ReactNode][] {
  if (system === undefined) return [];
  const { node, database } = system;
  return [
    ['Node.js', node],
    ['PostgreSQL', database.version],
    ['Schema', `of release ${database.schemaRelease}${database.isOwnSchema ? '' : ', not this one'}`],
    ['Last migration', database.migration ?? 'none'],
  ];
}

function Retention({ retention }: { retention: SystemFacts['retention'] }) {
  const { paymentsDays, auditDays, figuresDays } = retention;
  return (
    <Panel title="Retention">
      <Facts
        rows={[
          ['Closed payments', counted(paymentsDays, 'day')],
          ['Audit log', counted(auditDays, 'day')],
          ['Figures', counted(figuresDays, 'day')],
        ]}
      />
    </Panel>
  );
}

/** 503 has the checks too, and is the answer that matters most. */
async function readHealth({ signal }: { signal: AbortSignal }): Promise<Health> {
  try {
    return (await (await requestOnce('/health/ready', { signal })).json()) as Health;
  } catch (error) {
    const checks = error instanceof Problem ? error.members['checks'] : undefined;
    if (checks === undefined) throw error;
    return { status: 'unavailable', checks: checks as Health['checks'] };
  }
}

const TONES: Readonly<Record<string, Tone>> = { ok: 'ok', degraded: 'warn', unavailable: 'bad', off: 'wait' };

function HealthTag({ status }: { status: string }) {
  return <Tag tone={TONES[status] ?? 'wait'}>{status === 'ok' ? 'works' : status}</Tag>;
}

const PARTS: Readonly<Record<string, string>> = {
  database: 'Database',
  rabbitmq: 'RabbitMQ',
  provider: 'Provider',
  deliveries: 'Deliveries',
  secrets: 'Secrets of endpoints',
  log: 'Event log',
  clock: 'Clock',
  replicas: 'Replicas',
};

function Checks({ checks }: { checks: Health['checks'] }) {
  return (
    <ul className={styles['checks']}>
      {Object.entries(checks).map(([part, { status, detail }]) => (
        <li key={part} className={styles['check']}>
          <span>{PARTS[part] ?? part}</span>
          <HealthTag status={status} />
          {detail === undefined ? null : (
            <span className={styles['detail']}>
              <Said text={detail} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
