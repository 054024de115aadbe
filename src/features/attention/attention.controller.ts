import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { Cached } from '../../platform/scheduling/cached.ts';
import { AttentionCounts, type PaymentSums } from '../../ports/attention.ts';
import { Clock } from '../../ports/clock.ts';
import { connectionTroubles } from '../../ports/connection-troubles.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { EventLog } from '../../ports/event-log.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import { SharedProviderState } from '../../ports/provider-state.ts';
import { ConnectionHealths } from '../../ports/readiness.ts';
import { Replicas, type SeenReplica, ThisReplica } from '../../ports/replicas.ts';
import { Timers } from '../../ports/timers.ts';
import { UntoldPayments } from '../../ports/untold.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { type AttentionItem, byOrder } from './attention-item.ts';
import { AttentionAnswer } from './attention.dto.ts';
import { logItems, providerItems, replicaItems, secretItems } from './operating-items.ts';
import { endpointItems, failedItems, paymentItems, unroutableItems } from './payment-items.ts';
import { brokerItems, untoldItems } from './untold-items.ts';

/** Many open dashboards share one reading. */
const FRESH_MS = 5_000;

interface AttentionView {
  readonly checkedAt: Date;
  readonly items: readonly AttentionItem[];
  readonly inFlight: PaymentSums;
  readonly replicas: readonly Omit<SeenReplica, 'provider' | 'settings' | 'troubles'>[];
}

/** What needs a person. */
@ApiTags('operations')
@Controller('api/attention')
export class AttentionController {
  private readonly cached: Cached<AttentionView>;

  constructor(
    private readonly counts: AttentionCounts,
    private readonly untold: UntoldPayments,
    private readonly connections: ConnectionHealths,
    private readonly kinds: DestinationKinds,
    private readonly replica: ThisReplica,
    private readonly rateLimit: ProviderRateLimit,
    private readonly provider: PaymentProvider,
    private readonly shared: SharedProviderState,
    private readonly eventLog: EventLog,
    private readonly webhooks: WebhookEndpoints,
    private readonly replicas: Replicas,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    this.cached = new Cached(() => this.readNow(), FRESH_MS, timers);
  }

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    summary: 'What needs a person: counts with links, the money in flight, and the running replicas',
  })
  @ApiOkResponse({ type: AttentionAnswer })
  read(): Promise<AttentionView> {
    return this.cached.get();
  }

  private async readNow(): Promise<AttentionView> {
    const checkedAt = this.clock.now();
    const replicas = await this.replicas.recent();
    const [payments, inFlight, operations] = await Promise.all([
      this.paymentItems(),
      this.counts.inFlight(),
      this.operationItems(checkedAt, replicas),
    ]);
    const items = [...payments, ...operations, ...replicaItems(replicas), ...this.connectionItems(replicas)];
    return {
      checkedAt,
      items: items.toSorted(byOrder),
      inFlight,
      replicas: replicas.map(
        ({ provider: _provider, settings: _settings, troubles: _troubles, ...replica }) => replica,
      ),
    };
  }

  private connectionItems(replicas: readonly SeenReplica[]): AttentionItem[] {
    const others = replicas.filter(({ id, isAlive }) => isAlive && id !== this.replica.id);
    return this.kinds.all.flatMap(({ kind, name }) =>
      brokerItems(name, connectionTroubles(kind, this.connections, others)),
    );
  }

  private async paymentItems(): Promise<AttentionItem[]> {
    const [untold, payments, failed, unroutable, disabled, failing] = await Promise.all([
      this.untold.now(),
      this.counts.payments(),
      this.counts.failedDeliveries(),
      this.counts.unroutableEvents(),
      this.counts.endpoints('disabled'),
      this.counts.endpoints('failing'),
    ]);
    return [
      ...untoldItems(untold),
      ...paymentItems(payments),
      ...failedItems(failed),
      ...unroutableItems(unroutable),
      ...endpointItems('disabled', disabled),
      ...endpointItems('failing', failing),
    ];
  }

  private async operationItems(now: Date, replicas: readonly SeenReplica[]): Promise<AttentionItem[]> {
    const [state, since, heldMs, unreadable] = await Promise.all([
      this.rateLimit.state(),
      this.shared.circuitSince(),
      this.eventLog.heldForMs(),
      this.webhooks.unreadable(),
    ]);
    return [
      ...providerItems(state, this.provider.limits, replicas, since),
      ...logItems(heldMs, now),
      ...secretItems(unreadable),
    ];
  }
}
