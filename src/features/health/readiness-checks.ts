import { Injectable } from '@nestjs/common';

import { providerName } from '../../domain/story/provider-name.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { DeliveryFigures, type DeliveryTroubles } from '../../ports/delivery-figures.ts';
import { EventLog } from '../../ports/event-log.ts';
import { type LogTrouble, logTrouble, sayHeld } from '../../ports/log-trouble.ts';
import {
  ClockSkew,
  type ConnectionHealth,
  ConnectionHealths,
  DatabaseHealth,
  type DatabaseProblem,
  type DatabaseTrouble,
  type Health,
} from '../../ports/readiness.ts';
import { sayUntold } from '../../ports/say-untold.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { answerInTime, type Checked } from './answer-in-time.ts';
import { type ReplicasHealth, ReplicasWatch } from './replicas-watch.ts';

/** How many overdue deliveries are still ordinary fluctuation. */
const OVERDUE_LIMIT = 100;
const SANDBOX = 'sandbox: no real money moves';

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /**
   * The checks by the name of the part: `database`, each connection of a destination, `provider`, `deliveries`, `secrets`,
   * `log`, `clock`, `replicas`.
   */
  readonly checks: Readonly<Record<string, Check>>;
}

interface Check {
  readonly status: Health['status'] | 'unavailable';
  /** Which check of the database fails. */
  readonly failed?: DatabaseProblem['check'];
  readonly detail?: string;
  readonly overdue?: number | null;
  readonly running?: ReplicasHealth['running'];
  readonly providers?: readonly NamedHealth[];
}

interface NamedHealth extends Health {
  readonly name: string;
}

/** Checks the health of everything on which the service depends, each part within two seconds. */
@Injectable()
export class ReadinessChecks {
  /** Concurrent requests share the running checks, so that they do not fill the pool of a hanging database. */
  private readonly checks = new SharedWork<Check>();
  private readonly healths = new SharedWork<Health>();
  private readonly counts = new SharedWork<number>();
  private readonly troubles = new SharedWork<DeliveryTroubles>();

  constructor(
    private readonly database: DatabaseHealth,
    private readonly connections: ConnectionHealths,
    private readonly cells: ProviderCells,
    private readonly figures: DeliveryFigures,
    private readonly eventLog: EventLog,
    private readonly clock: ClockSkew,
    private readonly replicas: ReplicasWatch,
  ) {}

  async run(): Promise<Readiness> {
    const [database, overdue, provider, troubles, log, replicas] = await Promise.all([
      answerInTime(this.checks.run('database', () => this.databaseState())),
      answerInTime(this.counts.run('overdue', () => this.figures.overdue())),
      this.providerHealth(),
      answerInTime(this.troubles.run('troubles', () => this.figures.troubles())),
      answerInTime(this.healths.run('log', async () => logOf(await logTrouble(this.eventLog)))),
      this.replicas.health(),
    ]);
    const checks: Readiness['checks'] = {
      database: database.answer ?? checkOf({ check: 'answer', detail: database.why }, null, null),
      ...Object.fromEntries(
        this.connections.all.map((connection) => [connection.name, connectionHealth(connection)]),
      ),
      provider,
      deliveries: deliveriesOf(overdue, troubles),
      secrets:
        troubles.answer === null ? { status: 'degraded', detail: troubles.why } : secretsOf(troubles.answer),
      log: log.answer ?? { status: 'degraded', detail: log.why },
      clock: this.clock.health(),
      replicas,
    };
    if (checks['database']?.status === 'unavailable') return { status: 'unavailable', checks };
    const isDegraded = Object.values(checks).some((check) => check.status === 'degraded');
    return { status: isDegraded ? 'degraded' : 'ok', checks };
  }

  private async databaseState(): Promise<Check> {
    return checkOf(await this.database.problem(), this.database.trouble(), this.database.wentBack.at);
  }

  /** The worst of the providers; with several, the detail says which of them are in trouble, and each has its own health. */
  private async providerHealth(): Promise<Check> {
    const providers = await Promise.all(
      this.cells.asked.map(async (cell) => ({ name: cell.provider.name, ...(await this.healthOf(cell)) })),
    );
    const [first] = providers;
    if (first !== undefined && providers.length === 1) {
      const { name: _name, ...only } = first;
      return only;
    }
    const details = providers.flatMap(({ name, status, detail }) =>
      status === 'ok' ? [] : [`${providerName(name)}: ${detail ?? status}`],
    );
    if (details.length === 0) return { status: 'ok', providers };
    return { status: 'degraded', detail: details.join('; '), providers };
  }

  private async healthOf({ provider, health }: ProviderCell): Promise<Health> {
    const { name, isSimulated } = provider;
    const checked = await answerInTime(this.healths.run(`provider ${name}`, () => health.health()));
    const found = checked.answer ?? ({ status: 'degraded', detail: checked.why } as const);
    return isSimulated ? markedSandbox(found) : found;
  }
}

/** The sandbox is marked, so that no operator takes it for a provider of real payments. */
function markedSandbox({ status, detail }: Health): Health {
  return { status, detail: detail === undefined ? SANDBOX : `${SANDBOX}; ${detail}` };
}

function checkOf(
  problem: DatabaseProblem | null,
  trouble: DatabaseTrouble | null,
  wentBackAt: Date | null,
): Check {
  if (problem !== null) return { status: 'unavailable', failed: problem.check, detail: problem.detail };
  if (trouble !== null) return { status: 'degraded', detail: trouble.detail };
  if (wentBackAt === null) return { status: 'ok' };
  return { status: 'ok', detail: `it went back at ${wentBackAt.toISOString()}: see docs/running/backups.md` };
}

function connectionHealth(connection: ConnectionHealth): Health {
  try {
    return connection.health();
  } catch {
    return { status: 'degraded', detail: 'the check itself failed' };
  }
}

function deliveriesOf(overdue: Checked<number>, troubles: Checked<DeliveryTroubles>): Check {
  if (overdue.answer !== null && troubles.answer !== null) return backlogOf(overdue.answer, troubles.answer);
  const { why } = overdue.answer === null ? overdue : troubles;
  return { status: 'degraded', overdue: overdue.answer, detail: why };
}

function backlogOf(overdue: number, { openCircuits, untold }: DeliveryTroubles): Check {
  const details = [
    ...(overdue > OVERDUE_LIMIT ? ['deliveries are behind'] : []),
    ...(openCircuits === null ? [] : [circuitsIn(openCircuits)]),
    ...(untold.count === 0 ? [] : [sayUntold(untold)]),
  ];
  if (details.length === 0) return { status: 'ok', overdue };
  return { status: 'degraded', overdue, detail: details.join('; ') };
}

function logOf(trouble: LogTrouble | null): Health {
  return trouble === null ? { status: 'ok' } : { status: 'degraded', detail: sayHeld(trouble) };
}

function circuitsIn(open: NonNullable<DeliveryTroubles['openCircuits']>): string {
  const events = `${open.isMore ? 'at least ' : ''}${counted(open.waiting, 'event')}`;
  const verb = open.waiting === 1 && !open.isMore ? 'waits' : 'wait';
  return `${counted(open.endpoints, 'endpoint')} with an open circuit, ${events} ${verb}, the oldest since ${open.oldestAt.toISOString()}`;
}

function secretsOf({ unreadableSecrets: count }: DeliveryTroubles): Health {
  if (count === 0) return { status: 'ok' };
  const [gets, whose] = count === 1 ? ['gets', 'its secret'] : ['get', 'their secrets'];
  const detail = `${counted(count, 'endpoint')} ${gets} no webhooks: ${whose} cannot be decrypted with ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate ${whose}`;
  return { status: 'degraded', detail };
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
