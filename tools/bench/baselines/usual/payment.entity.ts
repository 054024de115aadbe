import { Column, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

/** A payment with the last report of its provider and the time of its next poll; null: it has ended. */
@Entity()
export class PaymentEntity {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column({ unique: true })
  quoteId!: string;

  @Column()
  status!: string;

  @Column({ default: 1 })
  sequence!: number;

  @Column('jsonb')
  report!: Record<string, unknown>;

  @Index()
  @Column('timestamptz', { nullable: true })
  nextPollAt!: Date | null;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
