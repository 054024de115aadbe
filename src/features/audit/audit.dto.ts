import { ApiProperty } from '@nestjs/swagger';

import { ROLES, type Role } from '../../domain/access/role.ts';
import { isPrintable } from '../../domain/text/printable.ts';
import { FilterTime } from '../../platform/http/list-filters.ts';
import { IfGiven, PageCursor, PageLimit } from '../../platform/http/list-query.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { AUDIT_WAYS, MAX_AUDIT_TEXT, type AuditWay } from '../../ports/audit-log.ts';

const TEXT = { required: false, minLength: 1, maxLength: MAX_AUDIT_TEXT } as const;

function MustBeAuditText(): PropertyDecorator {
  return MustBe(
    `a string of 1 to ${MAX_AUDIT_TEXT} characters on one line`,
    (value) => typeof value === 'string' && value.length <= MAX_AUDIT_TEXT && isPrintable(value),
  );
}

/** The filters of the audit log. */
export class AuditQuery {
  /** Only changes with the API key of this name, or by this user of the operating system. */
  @ApiProperty(TEXT)
  @IfGiven()
  @MustBeAuditText()
  who?: string;

  /** Only changes of this kind, such as `endpoint.create`. */
  @ApiProperty(TEXT)
  @IfGiven()
  @MustBeAuditText()
  action?: string;

  /** Only changes of the object with this id or name. */
  @ApiProperty(TEXT)
  @IfGiven()
  @MustBeAuditText()
  target?: string;

  /** Only changes at this instant or after it. */
  @FilterTime()
  after?: string;

  /** Only changes before this instant (exclusive). */
  @FilterTime()
  before?: string;

  @PageLimit()
  limit?: string;

  /** `nextCursor` of the page before. */
  @PageCursor()
  cursor?: string;
}

/** One change. */
export class AuditEntryAnswer {
  @ApiProperty({ example: '1042' })
  id!: string;

  /** When it was requested. */
  @ApiProperty({ type: String, format: 'date-time' })
  time!: Date;

  /** The name of the API key; with `via` `cli` the name of the operating system's user. */
  who!: string;

  /** The role that the key had; null with `via` `cli`. */
  @ApiProperty({ enum: ROLES, type: String, nullable: true })
  role!: Role | null;

  /** The address from which the change came; null with `via` `cli`. */
  @ApiProperty({ type: String, nullable: true })
  address!: string | null;

  /** How the change was made: with an API key, from a session of the dashboard, or on the command line. */
  @ApiProperty({ enum: AUDIT_WAYS })
  via!: AuditWay;

  @ApiProperty({ example: 'endpoint.create' })
  action!: string;

  /** The id or name of the changed object. */
  @ApiProperty({ type: String, nullable: true })
  target!: string | null;

  /** The fields of the request, without secrets, unless it was refused; a value that is too long is cut and ends in `…`. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  values!: Readonly<Record<string, unknown>>;

  /** The HTTP status of the answer, or the exit status of the command; null: the process ended before it was known. */
  @ApiProperty({ type: 'integer', nullable: true })
  status!: number | null;
}

/** A page of the audit log. */
export class AuditAnswer {
  @ApiProperty({ type: [AuditEntryAnswer] })
  data!: AuditEntryAnswer[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}
