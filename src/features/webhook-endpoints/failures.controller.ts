import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';

import { adviceOn } from '../../domain/delivery/failure-advice.ts';
import { ACCESS, Allow } from '../../platform/http/access.ts';
import { EndpointFailures } from '../../ports/endpoint-failures.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { findEndpoint } from './webhook-endpoints.controller.ts';

const INSTANT = { type: String, format: 'date-time' } as const;

/** Failed attempts of one class and code. */
class FailureAnswer {
  /** The class of the failures, such as `timeout`, `refused` or `status`. */
  @ApiProperty({ example: 'status' })
  readonly failure!: string;
  /** The cause within the class; null: none is known. */
  @ApiProperty({ type: String, nullable: true, example: 'CERT_HAS_EXPIRED' })
  readonly code!: string | null;
  /** The remedy, in a sentence. */
  @ApiProperty()
  readonly advice!: string;
  /** Null without an answer. */
  @ApiProperty({ type: 'integer', nullable: true, example: 500 })
  readonly httpStatus!: number | null;
  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly attempts!: number;
  /** The number of payments with such a failure. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly payments!: number;
  @ApiProperty(INSTANT)
  readonly firstAt!: string;
  @ApiProperty(INSTANT)
  readonly lastAt!: string;
  /** The first KiB of the last answer's body as text; null without an answer. */
  @ApiProperty({ type: String, nullable: true })
  readonly body!: string | null;
}

/** The failures of an endpoint; empty: no unacknowledged delivery has failed. */
class FailuresAnswer {
  /** The classes; the one that failed last comes first. */
  @ApiProperty({ type: [FailureAnswer] })
  readonly data!: FailureAnswer[];
  /** True: only the newest 10,000 pending deliveries and the newest 10,000 given-up ones were read. */
  @ApiProperty()
  readonly isMore!: boolean;
}

/** Adds up the failures of an endpoint. */
@ApiTags('Webhook endpoints')
@Allow(ACCESS.inspect)
@Controller('api/webhook-endpoints')
export class FailuresController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly failures: EndpointFailures,
  ) {}

  @Get(':id/failures')
  @ApiOperation({
    operationId: 'getEndpointFailures',
    summary: 'Failed attempts by class, of the deliveries that are not acknowledged',
  })
  @ApiOkResponse({ type: FailuresAnswer })
  async of(@Param('id') id: string) {
    await findEndpoint(this.endpoints, id);
    const { failures, isMore } = await this.failures.of(id);
    const data = failures.map(({ excerpt, ...failure }) => ({
      ...failure,
      advice: adviceOn(failure.failure, failure.code),
      body: excerpt,
    }));
    return { data, isMore };
  }
}
