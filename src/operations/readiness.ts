import { Injectable } from '@nestjs/common';

import { PaymentProvider } from '../ports/payment-provider.ts';
import { BrokerHealth, DatabaseHealth, type Health, ProviderHealth } from '../ports/readiness.ts';
import { SharedCheck } from './shared-check.ts';

/** A backlog up to this is the ordinary coming and going of deliveries. */
const OVERDUE_LIMIT = 100;
const SANDBOX = 'sandbox: no real money moves';

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
  private readonly asked = new SharedCheck(() => this.provider.health());

  constructor(
    private readonly database: DatabaseHealth,
    private readonly broker: BrokerHealth,
    private readonly provider: ProviderHealth,
    private readonly asking: PaymentProvider,
  ) {}

  async run(): Promise<Readiness> {
    const [isReady, overdue, provider] = await Promise.all([
      this.isReady.answer(),
      this.overdue.answer(),
      this.asked.answer(),
    ]);
    const checks: Readiness['checks'] = {
      database: { status: isReady === true ? 'ok' : 'unavailable' },
      rabbitmq: healthOf(() => this.broker.health()),
      provider: this.named(provider ?? { status: 'degraded', detail: 'it is not known how it does' }),
      deliveries: backlogOf(overdue),
    };
    if (isReady !== true) return { status: 'unavailable', checks };
    const isDegraded = Object.values(checks).some((check) => check.status === 'degraded');
    return { status: isDegraded ? 'degraded' : 'ok', checks };
  }

  /** Nobody shall take the sandbox for a provider of real payments. */
  private named(health: Health): Health {
    if (this.asking.name !== 'sandbox') return health;
    const { status, detail } = health;
    return { status, detail: detail === undefined ? SANDBOX : `${SANDBOX}; ${detail}` };
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
