import { Logger } from '@nestjs/common';

import type { Clock } from '../../ports/clock.ts';
import type { Circuit } from '../../ports/deliveries.ts';
import type { EnabledTarget } from '../../ports/webhook-endpoints.ts';
import type { Database } from './database.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';
import { SecretUnreadable } from './secret-box.ts';

const CACHED_MS = 1_000;
const LOG_AGAIN_AFTER_MS = 60_000;

interface TargetRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly secrets: string;
  readonly circuit: Circuit;
  readonly recovered_for_ms: number | null;
}

/** The enabled endpoints with their secrets, read from the database at most once a second. */
export class WebhookTargets {
  private readonly log = new Logger(WebhookTargets.name);
  private readonly loggedAt = new Map<string, number>();
  private cached: { readonly targets: Promise<readonly EnabledTarget[]>; readonly at: number } | null = null;

  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  /** A reading that is under way is dropped too: it may have begun before the write. */
  forget(): void {
    this.cached = null;
  }

  read(): Promise<readonly EnabledTarget[]> {
    const { cached } = this;
    if (cached !== null && performance.now() - cached.at < CACHED_MS) return cached.targets;
    const reading = { targets: this.readAll(), at: performance.now() };
    this.cached = reading;
    // A failure is not kept for a second.
    reading.targets.catch(() => {
      if (this.cached === reading) this.cached = null;
    });
    return reading.targets;
  }

  private async readAll(): Promise<readonly EnabledTarget[]> {
    const rows = await this.database.query<TargetRow>(TARGETS);
    this.secrets.keep(rows.map((row) => row.secrets));
    const now = this.clock.now();
    return rows.flatMap((row) => this.open(row, now) ?? []);
  }

  /** One endpoint that can't be opened must not stop the others. */
  private open(row: TargetRow, now: Date): EnabledTarget | null {
    try {
      const { id, url, description, circuit, recovered_for_ms: recoveredForMs } = row;
      return {
        id,
        url,
        description,
        secrets: this.secrets.openKept(row.secrets, id, now),
        circuit,
        recoveredForMs,
      };
    } catch (error) {
      this.complain(row.id, error instanceof SecretUnreadable ? error.message : 'It can not be read', now);
      return null;
    }
  }

  /** Once a minute for each endpoint. */
  private complain(id: string, reason: string, now: Date): void {
    if (now.getTime() - (this.loggedAt.get(id) ?? -Infinity) < LOG_AGAIN_AFTER_MS) return;
    this.loggedAt.set(id, now.getTime());
    this.log.error(
      `Webhook endpoint ${id} is told of nothing, since its secret can't be decrypted. ${reason}`,
    );
  }
}

const TARGETS = `
  SELECT x.id, x.url, x.description, coalesce(x.secrets, '') AS secrets, coalesce(c.state, 'closed') AS circuit,
    (extract(epoch FROM now() - c.recovered_at) * 1000)::float8 AS recovered_for_ms
  FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
  WHERE x.kind = 'webhook' AND x.enabled ORDER BY x.created_at, x.id`;
