import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('key_use')
export class KeyUseEntity {
  /** SHA-256 of the API key, in hex. A key of `API_KEYS` has no row in `api_key`. */
  @PrimaryColumn('text')
  hash!: string;

  @Column('timestamptz', { name: 'used_at' })
  usedAt!: Date;

  @Column('text', { nullable: true })
  address!: string | null;
}
