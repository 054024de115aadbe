import { Injectable } from '@nestjs/common';

import { SingleTargets } from '../../ports/destinations.ts';
import { Database } from '../connection/database.ts';

/** The cache expires because a restore of the database may give a kind another row. */
const CACHED_MS = 30_000;

/** The rows of `destination` without a URL, one for each kind. */
@Injectable()
export class PostgresSingleTargets extends SingleTargets {
  private readonly cached = new Map<string, { readonly id: string; readonly at: number }>();

  constructor(private readonly database: Database) {
    super();
  }

  async idOf(kind: string): Promise<string | null> {
    const cached = this.cached.get(kind);
    if (cached !== undefined && performance.now() - cached.at < CACHED_MS) return cached.id;
    const [row] = await this.database.query<{ id: string }>(FIND, [kind]);
    if (row !== undefined) this.cached.set(kind, { id: row.id, at: performance.now() });
    return row?.id ?? null;
  }
}

const FIND = `SELECT id FROM destination WHERE kind = $1 AND url IS NULL`;
