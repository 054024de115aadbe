import { Logger } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  EndpointSecretUnreadable,
  type SigningKey,
  type WebhookTarget,
} from '../../ports/webhook-endpoints.ts';
import type { Database } from '../connection/database.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';
import { SecretUnreadable } from './secret-box.ts';

interface SecretsRow {
  readonly url: string;
  readonly description: string | null;
  readonly secrets: string;
}

/** Replaces and reads the secrets of one endpoint, as they stand in its row at this moment. */
export class SecretRotation {
  private readonly log = new Logger(SecretRotation.name);

  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  /** The row is locked: of two at the same time, both secrets sign. */
  async rotate(id: string, { secret, publicKey }: SigningKey, until: Date): Promise<Date | null> {
    return this.database.transaction(async (queries) => {
      const [row] = await queries.query<SecretsRow>(`${READ} FOR UPDATE`, [id]);
      if (row === undefined) return null;
      const sealed = this.rotated(row, id, secret, until);
      await queries.query(ROTATE, [id, sealed ?? this.secrets.first(secret, id), publicKey]);
      return sealed === null ? null : until;
    });
  }

  /** Null when there is no such endpoint. Throws EndpointSecretUnreadable. */
  async target(id: string): Promise<WebhookTarget | null> {
    const [row] = await this.database.query<SecretsRow>(READ, [id]);
    if (row === undefined) return null;
    try {
      const { url, description } = row;
      return { id, url, description, secrets: this.secrets.open(row.secrets, id, this.clock.now()) };
    } catch (error) {
      throw error instanceof SecretUnreadable ? new EndpointSecretUnreadable() : error;
    }
  }

  /** Null: the stored secrets can't be read, and sign nothing as they are. */
  private rotated(row: SecretsRow, id: string, secret: string, until: Date): string | null {
    try {
      return this.secrets.rotated(row.secrets, id, secret, this.clock.now(), until);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      const name = endpointName(id, row.description);
      this.log.warn(`Webhook endpoint ${name}: its former secret signs no more. ${error.message}`);
      return null;
    }
  }
}

const READ = `
  SELECT url, description, coalesce(secrets, '') AS secrets FROM destination WHERE kind = 'webhook' AND id = $1`;
const ROTATE = `UPDATE destination SET secrets = $2, public_key = $3 WHERE id = $1`;
