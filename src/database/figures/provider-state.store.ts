import { Injectable } from '@nestjs/common';

import { PaymentProvider } from '../../ports/payment-provider.ts';
import { SharedProviderState, type ReconcileState } from '../../ports/provider-state.ts';
import { Database } from '../connection/database.ts';

/** Reads the rows that polling and Relay's reconciler write. */
@Injectable()
export class PostgresProviderState extends SharedProviderState {
  constructor(
    private readonly database: Database,
    private readonly provider: PaymentProvider,
  ) {
    super();
  }

  async circuitSince(): Promise<Date | null> {
    const [row] = await this.database.query<{ since: Date | null }>(CIRCUIT);
    return row?.since ?? null;
  }

  async reconcile(): Promise<ReconcileState | null> {
    if (this.provider.name !== 'relay') return null;
    const [row] = await this.database.query<ReconcileState>(RECONCILE);
    return row ?? null;
  }
}

const CIRCUIT = `SELECT circuit_since AS since FROM provider_rate_limit WHERE id = 1`;
const RECONCILE = `SELECT reconciled_to AS "reconciledTo", next_at AS "nextAt" FROM relay_reconcile WHERE id = 1`;
