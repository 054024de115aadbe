import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

import type { QuoteRequest } from '../../domain/payment/quote.ts';

@Entity('unanswered_quote')
export class UnansweredQuoteEntity {
  /** A bigint, which the driver reads as text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'requested_at' })
  requestedAt!: Date;

  @Column('text')
  provider!: string;

  @Column('text', { name: 'order_id', nullable: true })
  orderId!: string | null;

  @Column('jsonb')
  request!: QuoteRequest;

  @Column('text')
  reason!: string;

  @Column('text', { name: 'quote_id', nullable: true })
  quoteId!: string | null;
}
