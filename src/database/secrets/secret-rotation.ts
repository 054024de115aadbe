import { Logger } from '@nestjs/common';
import type { Repository } from 'typeorm';

import { endpointName } from '../../domain/text/log-context.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  EndpointSecretUnreadable,
  type SigningKey,
  type WebhookTarget,
} from '../../ports/webhook-endpoints.ts';
import type { Database } from '../connection/database.ts';
import type { EndpointEntity } from '../entities/endpoint.entity.ts';
import type { EndpointSecrets } from './endpoint-secrets.ts';
import { SecretUnreadable } from './secret-box.ts';

/** Replaces and reads the secrets of one endpoint as its row has them at this moment. */
export class SecretRotation {
  private readonly log = new Logger(SecretRotation.name);

  constructor(
    private readonly database: Database,
    private readonly endpoints: Repository<EndpointEntity>,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  /** Locks the row: after two concurrent rotations, both new secrets sign. */
  async rotate(id: string, { secret, publicKey }: SigningKey, until: Date): Promise<Date | null> {
    return this.database.transaction(async (_queries, manager) => {
      const endpoints = manager.withRepository(this.endpoints);
      const lock = { mode: 'pessimistic_write' } as const;
      const endpoint = await endpoints.findOne({ where: { kind: 'webhook', id }, lock });
      if (endpoint === null) return null;
      const sealed = this.rotated(endpoint, secret, until);
      await endpoints.update(id, { secrets: sealed ?? this.secrets.first(secret, id), publicKey });
      return sealed === null ? null : until;
    });
  }

  /** Null when there is no such endpoint. Throws EndpointSecretUnreadable. */
  async target(id: string): Promise<WebhookTarget | null> {
    const endpoint = await this.database.withRepository(this.endpoints, (endpoints) =>
      endpoints.findOneBy({ kind: 'webhook', id }),
    );
    if (endpoint === null) return null;
    try {
      const { url, description, secrets } = endpoint;
      return { id, url, description, secrets: this.secrets.open(secrets, id, this.clock.now()) };
    } catch (error) {
      throw error instanceof SecretUnreadable ? new EndpointSecretUnreadable() : error;
    }
  }

  /** Null: the stored secrets cannot be decrypted, and sign nothing. */
  private rotated(endpoint: EndpointEntity, secret: string, until: Date): string | null {
    const { id, description, secrets } = endpoint;
    try {
      return this.secrets.rotated(secrets, id, secret, this.clock.now(), until);
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      const name = endpointName(id, description);
      this.log.warn(`Webhook endpoint ${name}: its former secret no longer signs. ${error.message}`);
      return null;
    }
  }
}
