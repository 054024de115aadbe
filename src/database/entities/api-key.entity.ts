import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

import type { Role } from '../../domain/access/role.ts';

@Entity('api_key')
export class ApiKeyEntity {
  @PrimaryColumn('text')
  name!: string;

  /** SHA-256 in hex. */
  @Column('text')
  hash!: string;

  @Column('text')
  role!: Role;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
