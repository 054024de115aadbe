import { Injectable } from '@nestjs/common';

import { DeliveryFigures, type DeliveryTroubles } from '../../ports/delivery-figures.ts';
import { EventLog } from '../../ports/event-log.ts';
import { type LogTrouble, logTrouble, sayHeld } from '../../ports/log-trouble.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import {
  ClockSkew,
  type ConnectionHealth,
  ConnectionHealths,
  DatabaseHealth,
  type DatabaseProblem,
  type DatabaseTrouble,
  type Health,
  ProviderHealth,
} from '../../ports/readiness.ts';
import { sayUntold } from '../../ports/say-untold.ts';
import { type ReplicasHealth, ReplicasWatch } from './replicas-watch.ts';
import { SharedCheck } from './shared-check.ts';

/** Up to so many overdue deliveries are ordinary fluctuation. */
const OVERDUE_LIMIT = 100;
const SANDBOX = 'sandbox: no real money moves';

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** By the part's name: `database`, each connection of a destination, `provider`, `deliveries`, `secrets`, `log`, `clock`, `replicas`. */
  readonly checks: Readonly<Record<string, Check>>;
}

interface Check {
  readonly status: Health['status'] | 'unavailable';
  /** Which check of the database fails. */
  readonly failed?: DatabaseProblem['check'];
  readonly detail?: string;
  readonly overdue?: number | null;
  readonly running?: ReplicasHealth['running'];
}

/** Checks the health of everything the service depends on, each within two seconds. */
@Injectable()
export class ReadinessChecks {
  private readonly databaseCheck = new SharedCheck(async () =>
    checkOf(await this.database.problem(), this.database.trouble(), this.database.wentBack.at),
  );
  private readonly overdue = new SharedCheck(() => this.figures.overdue());
  private readonly providerHealth = new SharedCheck(() => this.provider.health());
  private readonly troubles = new SharedCheck(() => this.figures.troubles());
  private readonly log = new SharedCheck(async () => logOf(await logTrouble(this.eventLog)));

  constructor(
    private readonly database: DatabaseHealth,
    private readonly connections: ConnectionHealths,
    private readonly provider: ProviderHealth,
    private readonly figures: DeliveryFigures,
    private readonly eventLog: EventLog,
    private readonly paymentProvider: PaymentProvider,
    private readonly clock: ClockSkew,
    private readonly replicas: ReplicasWatch,
  ) {}

  async run(): Promise<Readiness> {
    const [database, overdue, provider, troubles, log, replicas] = await Promise.all([
      this.databaseCheck.answer(),
      this.overdue.answer(),
      this.providerHealth.answer(),
      this.troubles.answer(),
      this.log.answer(),
      this.replicas.health(),
    ]);
    const checks: Readiness['checks'] = {
      database: database ?? checkOf({ check: 'answer', detail: this.databaseCheck.why }, null, null),
      ...Object.fromEntries(
        this.connections.all.map((connection) => [connection.name, healthOf(connection)]),
      ),
      provider: this.named(provider ?? { status: 'degraded', detail: this.providerHealth.why }),
      deliveries:
        overdue === null || troubles === null
          ? { status: 'degraded', overdue, detail: (overdue === null ? this.overdue : this.troubles).why }
          : backlogOf(overdue, troubles),
      secrets: troubles === null ? { status: 'degraded', detail: this.troubles.why } : secretsOf(troubles),
      log: log ?? { status: 'degraded', detail: this.log.why },
      clock: this.clock.health(),
      replicas,
    };
    if (checks['database']?.status === 'unavailable') return { status: 'unavailable', checks };
    const isDegraded = Object.values(checks).some((check) => check.status === 'degraded');
    return { status: isDegraded ? 'degraded' : 'ok', checks };
  }

  /** Marks the sandbox, so that no operator takes it for a provider of real payments. */
  private named(health: Health): Health {
    if (this.paymentProvider.name !== 'sandbox') return health;
    const { status, detail } = health;
    return { status, detail: detail === undefined ? SANDBOX : `${SANDBOX}; ${detail}` };
  }
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

function healthOf(connection: ConnectionHealth): Health {
  try {
    return connection.health();
  } catch {
    return { status: 'degraded', detail: 'the check itself failed' };
  }
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
  const detail = `${counted(count, 'endpoint')} ${gets} no webhooks: ${whose} can't be decrypted with ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate ${whose}`;
  return { status: 'degraded', detail };
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
