import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { EVENT_TYPES, type EventType } from '../domain/event.ts';
import { MustBe } from '../http/must-be.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_DESCRIPTION_LENGTH = 500;
const A_URL = `a URL: a string of 1 to ${MAX_URL_LENGTH} characters`;
const A_TYPE_LIST = `an array of event types, each at most once: ${EVENT_TYPES.join(', ')}`;
const A_DESCRIPTION = `a string of up to ${MAX_DESCRIPTION_LENGTH} characters`;

function isUrlText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_URL_LENGTH;
}

function isTypeList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > EVENT_TYPES.length) return false;
  return new Set(value).size === value.length && value.every((type) => EVENT_TYPES.includes(type));
}

function isDescription(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_DESCRIPTION_LENGTH;
}

/** What is asked for a new webhook endpoint. */
export class CreateWebhookEndpoint {
  /** Where events are posted to. Private, loopback and link-local targets must be allowed by configuration. */
  @ApiProperty({ minLength: 1, maxLength: MAX_URL_LENGTH, example: 'https://shop.example/webhooks/paybell' })
  @MustBe(A_URL, isUrlText)
  readonly url!: string;

  /** Which events it is told of; absent or empty: all of them. */
  @ApiPropertyOptional({ enum: EVENT_TYPES, isArray: true, uniqueItems: true, nullable: true })
  @IsOptional()
  @MustBe(A_TYPE_LIST, isTypeList)
  readonly eventTypes?: EventType[] | null;

  /** The merchant's own words for it. */
  @ApiPropertyOptional({ type: String, maxLength: MAX_DESCRIPTION_LENGTH, nullable: true })
  @IsOptional()
  @MustBe(A_DESCRIPTION, isDescription)
  readonly description?: string | null;
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
