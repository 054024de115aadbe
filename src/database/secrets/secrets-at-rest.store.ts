import { Injectable, Logger } from '@nestjs/common';

import { endpointName } from '../../domain/text/log-context.ts';
import { SecretsAtRest, type RenewedBatch } from '../../ports/secrets-at-rest.ts';
import { Database } from '../connection/database.ts';
import { SecretBox, SecretUnreadable } from './secret-box.ts';
import { unreadableWords } from './unreadable-secret.ts';

interface SealedRow {
  readonly id: string;
  readonly description: string | null;
  readonly secrets: string;
}

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The endpoints' secrets in PostgreSQL. Each begins with the id of the key that encrypted it. */
@Injectable()
export class PostgresSecretsAtRest extends SecretsAtRest {
  private readonly log = new Logger(PostgresSecretsAtRest.name);

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async renew(after: string | null, limit: number): Promise<RenewedBatch> {
    const values = [after ?? BEFORE_ALL, this.box.prefix, limit];
    const rows = await this.database.query<SealedRow>(OTHERS, values);
    let renewed = 0;
    let unreadable = 0;
    for (const row of rows) {
      const sealed = this.sealedAnew(row);
      if (sealed === null) unreadable += 1;
      else renewed += (await this.database.query(RENEW, [row.id, row.secrets, sealed])).length;
    }
    return { renewed, unreadable, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  }

  private sealedAnew({ id, description, secrets }: SealedRow): string | null {
    try {
      return this.box.seal(this.box.open(secrets, id), id);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      this.log.error(unreadableWords(endpointName(id, description), error));
      return null;
    }
  }
}

const OTHERS = `
  SELECT id, description, secrets FROM destination
  WHERE kind = 'webhook' AND id > $1 AND NOT starts_with(secrets, $2) ORDER BY id LIMIT $3`;
/** Only the secret that was read: one that was rotated meanwhile is encrypted with a current key already. */
const RENEW = `UPDATE destination SET secrets = $3 WHERE id = $1 AND secrets = $2 RETURNING 1`;
