import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { FIGURES_KEPT_MS } from '../../domain/figures/time-ranges.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { DatabaseVersion } from '../../ports/database-version.ts';
import { ThisReplica } from '../../ports/replicas.ts';
import { SystemAnswer } from './system.dto.ts';
import { SystemSettings } from './system.settings.ts';

const DAY_MS = 86_400_000;

/** Returns which release runs here, on which schema, and how long it keeps data. */
@ApiTags('Operations')
@Controller('api/system')
export class SystemController {
  constructor(
    private readonly database: DatabaseVersion,
    private readonly replica: ThisReplica,
    private readonly settings: SystemSettings,
  ) {}

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'getSystem',
    summary: 'Versions, schema and retention, as the replica that answers has them',
  })
  @ApiOkResponse({ type: SystemAnswer })
  async read(): Promise<SystemAnswer> {
    const { release, roles, id } = this.replica;
    const { serverVersion, ...schema } = await this.database.read();
    const { paymentsDays, auditDays } = this.settings;
    return {
      release,
      replicaId: id,
      roles: [...roles],
      node: process.versions.node,
      database: { version: serverVersion, ...schema },
      retention: { paymentsDays, auditDays, figuresDays: FIGURES_KEPT_MS / DAY_MS },
    };
  }
}
