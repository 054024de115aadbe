import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';

import { EVENT_TYPES, type EventType } from '../domain/event.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_EVENT_TYPES = 20;
const MAX_DESCRIPTION_LENGTH = 500;

/** What is asked for a new webhook endpoint. */
export class CreateWebhookEndpoint {
  /** Where events are posted to. Private, loopback and link-local targets must be allowed by configuration. */
  @ApiProperty({ example: 'https://shop.example/webhooks/paybell' })
  @IsString()
  @MaxLength(MAX_URL_LENGTH)
  readonly url!: string;

  /** Which events it is told of; absent or empty: all of them. */
  @ApiPropertyOptional({ enum: EVENT_TYPES, isArray: true })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_EVENT_TYPES)
  @ArrayUnique()
  @IsIn(EVENT_TYPES, { each: true })
  readonly eventTypes?: EventType[];

  @IsOptional()
  @IsString()
  @MaxLength(MAX_DESCRIPTION_LENGTH)
  readonly description?: string;
}

/** A webhook endpoint as it is told to the outside, without its secret. */
export class WebhookEndpointView {
  readonly id!: string;
  readonly url!: string;
  @ApiProperty({ enum: EVENT_TYPES, isArray: true })
  readonly eventTypes!: readonly EventType[];
  @ApiProperty({ type: String, nullable: true })
  readonly description!: string | null;
  readonly enabled!: boolean;
  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;
}

/** The answer to a creation: the only one that shows the secret. */
export class CreatedWebhookEndpoint extends WebhookEndpointView {
  /** Verifies the signature of every webhook; it is not shown again. */
  @ApiProperty({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  readonly secret!: string;
}

export class WebhookEndpointList {
  readonly data!: WebhookEndpointView[];
}
