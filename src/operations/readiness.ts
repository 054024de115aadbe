import { Injectable } from '@nestjs/common';

import { BrokerHealth, DatabaseHealth, type Health, ProviderHealth } from '../ports/readiness.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** A backlog up to this is the ordinary coming and going of deliveries. */
const OVERDUE_LIMIT = 100;

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly checks: {
    readonly database: { readonly status: 'ok' | 'unavailable' };
    readonly rabbitmq: Health;
    readonly provider: Health;
    readonly deliveries: Health & { readonly overdue: number | null };
  };
}

/** Asks everything that the service stands on how it is, each within two seconds. */
@Injectable()
export class ReadinessChecks {
  private readonly isReady = new SharedCheck(() => this.database.isReady());
  private readonly overdue = new SharedCheck(() => this.database.overdueDeliveries());

  constructor(
    private readonly database: DatabaseHealth,
    private readonly broker: BrokerHealth,
    private readonly provider: ProviderHealth,
  ) {}

  async run(): Promise<Readiness> {
    const [isReady, overdue] = await Promise.all([this.isReady.answer(), this.overdue.answer()]);
    const checks: Readiness['checks'] = {
      database: { status: isReady === true ? 'ok' : 'unavailable' },
      rabbitmq: healthOf(() => this.broker.health()),
      provider: healthOf(() => this.provider.health()),
      deliveries: backlogOf(overdue),
    };
    if (isReady !== true) return { status: 'unavailable', checks };
    const isDegraded = Object.values(checks).some((check) => check.status === 'degraded');
    return { status: isDegraded ? 'degraded' : 'ok', checks };
  }
}

/** One question at a time: probes of a database that hangs must not fill its connection pool. */
class SharedCheck<Answer> {
  private asked: Promise<Answer | null> | null = null;

  constructor(private readonly ask: () => Promise<Answer>) {}

  /** Null: it failed, or has not answered in time. */
  async answer(): Promise<Answer | null> {
    this.asked ??= this.askOnce();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), CHECK_TIMEOUT_MS);
    });
    return Promise.race([this.asked, timeout]).finally(() => clearTimeout(timer));
  }

  private async askOnce(): Promise<Answer | null> {
    try {
      return await this.ask();
    } catch {
      return null;
    } finally {
      this.asked = null;
    }
  }
}

function healthOf(ask: () => Health): Health {
  try {
    return ask();
  } catch {
    return { status: 'degraded', detail: 'the check itself failed' };
  }
}

function backlogOf(overdue: number | null): Readiness['checks']['deliveries'] {
  if (overdue === null) return { status: 'degraded', overdue, detail: 'the backlog is not known' };
  if (overdue <= OVERDUE_LIMIT) return { status: 'ok', overdue };
  return { status: 'degraded', overdue, detail: 'deliveries are behind' };
}
