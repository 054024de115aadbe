import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An event that was stored together with its change; OutboxService publishes it. */
@Entity()
export class OutboxEventEntity {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('uuid')
  eventId!: string;

  @Column()
  type!: string;

  @Column('jsonb')
  payload!: Record<string, unknown>;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Index()
  @Column('timestamptz', { nullable: true })
  publishedAt!: Date | null;
}
