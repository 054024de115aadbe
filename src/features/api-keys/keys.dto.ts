import { ApiProperty } from '@nestjs/swagger';

import { isRole, ROLES, type Role } from '../../domain/access/role.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { A_KEY_NAME, isKeyName, KEY_NAME } from './new-key.ts';

const KEY_SOURCES = ['database', 'API_KEYS'] as const;
const INSTANT = { type: String, format: 'date-time', nullable: true } as const;

/** A new API key. */
export class NewKeyBody {
  /** Letters, digits, dots, dashes and underscores. The audit log shows it for each change made with the key. */
  @ApiProperty({ pattern: KEY_NAME.source, example: 'shop-eu' })
  @MustBe(A_KEY_NAME, isKeyName)
  name!: string;

  /** The rights of the key; see docs/running/access.md. */
  @ApiProperty({ enum: ROLES })
  @MustBe(`one of: ${ROLES.join(', ')}`, isRole)
  role!: Role;
}

/** An API key, without its secret. */
export class KeyView {
  @ApiProperty({ example: 'shop-eu' })
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  /** A key of the setting `API_KEYS` is changed and revoked there. */
  @ApiProperty({ enum: KEY_SOURCES })
  source!: (typeof KEY_SOURCES)[number];

  /** Null for a key of the setting. */
  @ApiProperty(INSTANT)
  createdAt!: Date | null;

  /** The time of the last use, to a minute; null: never, or longer ago than the audit log goes back. */
  @ApiProperty(INSTANT)
  lastUsedAt!: Date | null;

  /** The address from which the key was used last. */
  @ApiProperty({ type: String, nullable: true })
  lastUsedFrom!: string | null;
}

/** All API keys: first those of the setting, then those of the database in the order of their creation. */
export class KeyList {
  @ApiProperty({ type: [KeyView] })
  data!: KeyView[];
}

/** A new API key with its secret. */
export class CreatedKey extends KeyView {
  /** The key itself. Only this answer shows it: Paybell stores its hash. */
  @ApiProperty({ example: 'pb_…' })
  key!: string;
}
