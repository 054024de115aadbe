import { ApiProperty } from '@nestjs/swagger';

import { type Role, ROLES } from '../../domain/access/role.ts';

const VIAS = ['key', 'session'] as const;

/** The signed-in person, and the Paybell that answers. */
export class Whoami {
  /** The name of the API key. */
  readonly name!: string;
  @ApiProperty({ enum: ROLES })
  readonly role!: Role;
  /** Whether the request sent an API key, or the cookie of a session that was opened with one. */
  @ApiProperty({ enum: VIAS })
  readonly via!: (typeof VIAS)[number];
  /** When the session ends at the latest; null with a key. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly expiresAt!: Date | null;
  /** When the session ends unless it is used before then; null with a key. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly idleUntil!: Date | null;
  /** The providers whose payments Paybell tracks, the preferred one first. */
  @ApiProperty({ type: [String] })
  readonly providers!: readonly string[];
  /** True if the provider is the sandbox: no real money moves. */
  readonly sandbox!: boolean;
  /** The release of Paybell that answers. */
  readonly version!: string;
}

/** A browser that is signed in. */
export class SessionView {
  readonly id!: string;
  /** The name that the API key had at the sign-in. */
  readonly keyName!: string;
  /** The role that the API key has now; null: it was revoked, and the session is useless. */
  @ApiProperty({ type: String, enum: ROLES, nullable: true })
  readonly role!: Role | null;
  /** True for the session of this request. */
  readonly current!: boolean;
  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: Date;
  /** When the session was last used, give or take a minute. */
  @ApiProperty({ format: 'date-time' })
  readonly lastUsedAt!: Date;
  /** When the session ends unless it is used before then. */
  @ApiProperty({ format: 'date-time' })
  readonly idleUntil!: Date;
  /** When the session ends at the latest. */
  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: Date;
  /** The address that signed in. */
  readonly address!: string;
  /** The browser's own name, up to 200 characters. */
  readonly userAgent!: string;
}

export class SessionList {
  /** The most recently used first, up to 1,000. */
  readonly data!: SessionView[];
}

export class EndedSessions {
  /** How many sessions have ended. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly count!: number;
}
