import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';

import { Open } from '../../platform/http/open-route.ts';
import { ReadinessAnswer } from './readiness.dto.ts';
import { type Readiness, ReadinessChecks } from './readiness-checks.ts';

/** The service can't work yet, or not now. */
export class NotReady extends Error {
  readonly code = 'not_ready';
  readonly members: Readonly<Record<string, unknown>>;
  constructor(readiness: Readiness) {
    super('The database does not answer, or its schema is not current yet.');
    this.members = { checks: readiness.checks };
  }
}

/** For whoever watches over the process: does it live, and can it work. */
@Open()
@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(private readonly checks: ReadinessChecks) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOkResponse({ type: ReadinessAnswer })
  async ready(): Promise<Readiness> {
    const readiness = await this.checks.run();
    // Only the database takes the API away: a broker or a provider that is down must not.
    if (readiness.status === 'unavailable') throw new NotReady(readiness);
    return readiness;
  }
}
