import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('dashboard_session')
export class SessionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  /** SHA-256 in hex; no query reads it back. */
  @Column('text', { name: 'token_hash', select: false })
  tokenHash!: string;

  /** SHA-256 in hex. */
  @Column('text', { name: 'key_hash' })
  keyHash!: string;

  @Column('text', { name: 'key_name' })
  keyName!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at' })
  lastUsedAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('text')
  address!: string;

  @Column('text', { name: 'user_agent' })
  userAgent!: string;
}
