import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

import type { Role } from '../../domain/access/role.ts';
import type { AuditWay } from '../../ports/audit-log.ts';

@Entity('audit_entry')
export class AuditEntryEntity {
  /** A bigint, which the driver reads as text. */
  @PrimaryGeneratedColumn('identity', { name: 'position', type: 'bigint' })
  id!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  time!: Date;

  @Column('text')
  who!: string;

  @Column('text', { nullable: true })
  role!: Role | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text')
  via!: AuditWay;

  @Column('text')
  action!: string;

  @Column('text', { nullable: true })
  target!: string | null;

  @Column('jsonb')
  values!: Readonly<Record<string, unknown>>;

  @Column('smallint', { nullable: true })
  status!: number | null;
}
