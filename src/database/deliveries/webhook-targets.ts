import { Logger } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Circuit } from '../../ports/deliveries.ts';
import type { EnabledTarget } from '../../ports/webhook-endpoints.ts';
import type { Database } from '../connection/database.ts';
import type { EndpointSecrets } from '../secrets/endpoint-secrets.ts';
import { unreadableWords } from '../secrets/unreadable-secret.ts';

const CACHED_MS = 1_000;
const LOG_AGAIN_AFTER_MS = 60_000;
/** The most endpoints that are logged one by one: with a wrong key, all endpoints are unreadable. */
const MAX_REPORTED = 10;

interface TargetRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly secrets: string;
  readonly circuit: Circuit;
  readonly recovered_for_ms: number | null;
}

interface Reading {
  readonly targets: readonly EnabledTarget[];
  readonly unreadable: readonly string[];
}

/** The enabled endpoints with their secrets, read from the database at most once a second. */
export class WebhookTargets {
  private readonly log = new Logger(WebhookTargets.name);
  private reportedAt = -Infinity;
  private published: ReadonlySet<string> = new Set();
  private cached: { readonly reading: Promise<Reading>; readonly at: number } | null = null;

  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  /** Drops a read in progress too: it may have begun before the write. */
  forget(): void {
    this.cached = null;
  }

  async read(): Promise<readonly EnabledTarget[]> {
    return (await this.readCached()).targets;
  }

  /** The ids of the endpoints that are left out because their secrets cannot be decrypted. */
  async readUnreadable(): Promise<readonly string[]> {
    return (await this.readCached()).unreadable;
  }

  private readCached(): Promise<Reading> {
    const { cached } = this;
    if (cached !== null && performance.now() - cached.at < CACHED_MS) return cached.reading;
    const next = { reading: this.readAll(), at: performance.now() };
    this.cached = next;
    // A failed read is not cached.
    next.reading.catch(() => {
      if (this.cached === next) this.cached = null;
    });
    return next.reading;
  }

  private async readAll(): Promise<Reading> {
    const rows = await this.database.query<TargetRow>(TARGETS);
    this.secrets.keep(rows.map(({ id }) => id));
    const now = this.clock.now();
    const targets: EnabledTarget[] = [];
    const complaints = new Map<string, string>();
    for (const row of rows) {
      try {
        targets.push(this.targetOf(row, now));
      } catch (error) {
        // An endpoint whose secrets cannot be opened must not stop the other endpoints.
        complaints.set(row.id, unreadableWords(endpointName(row.id, row.description), error));
      }
    }
    this.complain(complaints, now);
    return { targets, unreadable: [...complaints.keys()] };
  }

  private targetOf(row: TargetRow, now: Date): EnabledTarget {
    const { id, url, description, circuit, recovered_for_ms: recoveredForMs } = row;
    const secrets = this.secrets.openKept(row.secrets, id, now);
    return { id, url, description, secrets, circuit, recoveredForMs };
  }

  /** Logs at most once a minute, but at once for an endpoint that was not logged before. */
  private complain(complaints: ReadonlyMap<string, string>, now: Date): void {
    const isOld = now.getTime() - this.reportedAt >= LOG_AGAIN_AFTER_MS;
    const unreported = [...complaints].filter(([id]) => isOld || !this.published.has(id));
    if (isOld) this.reportedAt = now.getTime();
    this.published = new Set(complaints.keys());
    for (const [, words] of unreported.slice(0, MAX_REPORTED)) this.log.error(words);
    const more = unreported.length - MAX_REPORTED;
    if (more > 0) this.log.error(`and ${more} more webhook endpoints whose secrets cannot be decrypted`);
  }
}

const TARGETS = `
  SELECT x.id, x.url, x.description, coalesce(x.secrets, '') AS secrets, coalesce(c.state, 'closed') AS circuit,
    (extract(epoch FROM now() - c.recovered_at) * 1000)::float8 AS recovered_for_ms
  FROM destination x LEFT JOIN endpoint_circuit c ON c.destination_id = x.id
  WHERE x.kind = 'webhook' AND x.enabled ORDER BY x.created_at, x.id`;
