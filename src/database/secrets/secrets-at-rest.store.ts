import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Like, MoreThan, Not, type Repository } from 'typeorm';

import { endpointName } from '../../domain/text/log-context.ts';
import { SecretsAtRest, type RenewedBatch } from '../../ports/secrets-at-rest.ts';
import { Database } from '../connection/database.ts';
import { EndpointEntity } from '../entities/endpoint.entity.ts';
import { SecretBox, SecretUnreadable } from './secret-box.ts';
import { unreadableWords } from './unreadable-secret.ts';

type SealedRow = Pick<EndpointEntity, 'id' | 'description' | 'secrets'>;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The endpoints' secrets in PostgreSQL. Each begins with the id of the key that encrypted it. */
@Injectable()
export class PostgresSecretsAtRest extends SecretsAtRest {
  private readonly log = new Logger(PostgresSecretsAtRest.name);

  constructor(
    private readonly database: Database,
    @InjectRepository(EndpointEntity) private readonly endpoints: Repository<EndpointEntity>,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async renew(after: string | null, limit: number): Promise<RenewedBatch> {
    const rows = await this.database.withRepository(this.endpoints, (endpoints) =>
      endpoints.find({
        select: { id: true, description: true, secrets: true },
        where: {
          kind: 'webhook',
          id: MoreThan(after ?? BEFORE_ALL),
          secrets: Not(Like(`${this.box.prefix}%`)),
        },
        order: { id: 'ASC' },
        take: limit,
      }),
    );
    let renewed = 0;
    let unreadable = 0;
    for (const row of rows) {
      const sealed = this.sealedAnew(row);
      if (sealed === null) unreadable += 1;
      else renewed += await this.replace(row, sealed);
    }
    return { renewed, unreadable, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  }

  /** Replaces only the text that was read: a secret that was rotated meanwhile is already encrypted with the current key. */
  private async replace({ id, secrets }: SealedRow, sealed: string): Promise<number> {
    const { affected } = await this.database.withRepository(this.endpoints, (endpoints) =>
      endpoints.update({ id, secrets }, { secrets: sealed }),
    );
    return affected ?? 0;
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
