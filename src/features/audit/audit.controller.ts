import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { DEFAULT_LIMIT } from '../../platform/http/list-query.ts';
import { AuditLog, type AuditFilter } from '../../ports/audit-log.ts';
import { AuditAnswer, AuditQuery } from './audit.dto.ts';

/** Who changed what, and when. */
@ApiTags('Access')
@Allow(ACCESS.manage)
@Controller('api/audit')
export class AuditController {
  constructor(private readonly auditLog: AuditLog) {}

  @Get()
  @ApiOperation({ operationId: 'listAuditEntries', summary: 'Read the audit log, newest first' })
  @ApiOkResponse({ type: AuditAnswer })
  async list(@Query() query: AuditQuery): Promise<AuditAnswer> {
    const { entries: data, nextCursor } = await this.auditLog.list(filterOf(query));
    return { data, nextCursor };
  }
}

/** Converts a validated query to a filter of the log; an empty value counts as absent. */
function filterOf({ who, action, target, after, before, limit, cursor }: AuditQuery): AuditFilter {
  return {
    limit: limit ? Number(limit) : DEFAULT_LIMIT,
    ...(who ? { who } : {}),
    ...(action ? { action } : {}),
    ...(target ? { target } : {}),
    ...(after ? { after: new Date(after) } : {}),
    ...(before ? { before: new Date(before) } : {}),
    ...(cursor ? { cursor } : {}),
  };
}
