import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { Open } from '../../platform/http/open-route.ts';
import { ConnectionHealths } from '../../ports/readiness.ts';
import { describeConnections, LivenessAnswer, ReadinessAnswer } from './readiness.dto.ts';
import { type Readiness, ReadinessChecks } from './readiness-checks.ts';

/** The service is not ready: its database does not answer, takes no writes, or has the schema of another release. */
export class NotReady extends Error {
  readonly code = 'not_ready';
  readonly members: Readonly<Record<string, unknown>>;
  constructor(readiness: Readiness) {
    super('The database is not ready.');
    this.members = { checks: readiness.checks };
  }
}

/** Liveness and readiness of the process, for orchestrators and monitoring. */
@Open()
@ApiTags('Operations')
@Controller('health')
export class HealthController {
  constructor(
    private readonly checks: ReadinessChecks,
    connections: ConnectionHealths,
  ) {
    describeConnections(connections.all.map(({ name }) => name));
  }

  @Get('live')
  @ApiOperation({ operationId: 'getLiveness', summary: 'The process runs' })
  @ApiOkResponse({ type: LivenessAnswer })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOkResponse({ type: ReadinessAnswer })
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'The database answers and takes writes; the body says how everything else is',
  })
  async ready(): Promise<Readiness> {
    const readiness = await this.checks.run();
    // Only the database makes the process unready: it still serves requests while the broker or the provider is down.
    if (readiness.status === 'unavailable') throw new NotReady(readiness);
    return readiness;
  }
}
