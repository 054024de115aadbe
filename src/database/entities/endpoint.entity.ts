import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

import type { SubscribedType } from '../../domain/event/operational-event.ts';
import type { Signature } from '../../ports/webhook-endpoints.ts';

/** A webhook endpoint as a row of `destination`. Destinations of other kinds have neither a URL nor secrets. */
@Entity('destination')
export class EndpointEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  kind!: 'webhook';

  @Column('boolean')
  enabled!: boolean;

  @Column('text')
  url!: string;

  /** Empty: all event types of payments. */
  @Column('text', { name: 'event_types', array: true })
  eventTypes!: readonly SubscribedType[];

  @Column('text', { nullable: true })
  description!: string | null;

  /** Sealed with ENCRYPTION_KEY. */
  @Column('text')
  secrets!: string;

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('text')
  signature!: Signature;

  @Column('text', { name: 'public_key', nullable: true })
  publicKey!: string | null;

  /** When the endpoint last acknowledged an event, up to a few seconds late. */
  @Column('timestamptz', { name: 'delivered_at', nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz', { name: 'tested_at', nullable: true })
  testedAt!: Date | null;
}
