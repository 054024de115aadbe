import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_key')
export class ApiKeyRow {
  @PrimaryColumn('text')
  name!: string;

  /** SHA-256 in hex. */
  @Column('text')
  hash!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
