import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';

import { ENDPOINT_STATES, type EndpointState } from '../../domain/delivery/endpoint-state.ts';
import { SUBSCRIBED_TYPES, type SubscribedType } from '../../domain/event/operational-event.ts';
import { isPrintable } from '../../domain/text/printable.ts';
import { MustBe } from '../../platform/http/must-be.ts';
import { RefusedPaymentsAnswer, UnsentEventsAnswer } from '../../platform/http/refused-payments.ts';
import { CIRCUITS, type Circuit } from '../../ports/deliveries.ts';
import {
  ENDPOINT_PROBLEMS,
  type EndpointProblem,
  SIGNATURES,
  type Signature,
} from '../../ports/webhook-endpoints.ts';
import { ReplayView } from './replay.dto.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_DESCRIPTION_LENGTH = 500;
const A_URL = `a URL: a string of 1 to ${MAX_URL_LENGTH} characters`;
const A_TYPE_LIST = `an array of event types, each at most once: ${SUBSCRIBED_TYPES.join(', ')}`;
const A_SIGNATURE = `one of: ${SIGNATURES.join(', ')}`;
const A_DESCRIPTION = `a string of up to ${MAX_DESCRIPTION_LENGTH} characters on one line`;

const A_FLAG = 'true or false';

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}

function isUrlText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_URL_LENGTH;
}

function isTypeList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > SUBSCRIBED_TYPES.length) return false;
  return new Set(value).size === value.length && value.every((type) => SUBSCRIBED_TYPES.includes(type));
}

function isDescription(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_DESCRIPTION_LENGTH && isPrintable(value);
}

function isSignature(value: unknown): boolean {
  return SIGNATURES.some((signature) => signature === value);
}

/** The request for a new webhook endpoint. */
export class CreateWebhookEndpoint {
  /** The URL to which events are posted. Private, loopback and link-local targets must be allowed by configuration. */
  @ApiProperty({ minLength: 1, maxLength: MAX_URL_LENGTH, example: 'https://shop.example/webhooks/paybell' })
  @MustBe(A_URL, isUrlText)
  readonly url!: string;

  /** The event types that the endpoint gets; absent or empty: all types of payments, and no operational events. */
  @ApiPropertyOptional({ enum: SUBSCRIBED_TYPES, isArray: true, uniqueItems: true, nullable: true })
  @IsOptional()
  @MustBe(A_TYPE_LIST, isTypeList)
  readonly eventTypes?: SubscribedType[] | null;

  /** The merchant's own description. */
  @ApiPropertyOptional({ type: String, maxLength: MAX_DESCRIPTION_LENGTH, nullable: true })
  @IsOptional()
  @MustBe(A_DESCRIPTION, isDescription)
  readonly description?: string | null;

  /** How Paybell signs the webhooks: HMAC-SHA256 with a shared secret, or ed25519, verified with a public key. */
  @ApiPropertyOptional({ enum: SIGNATURES, default: 'v1', nullable: true })
  @IsOptional()
  @MustBe(A_SIGNATURE, isSignature)
  readonly signature?: Signature | null;
}

/** The changes of a webhook endpoint; an absent field keeps its value. */
export class ChangeWebhookEndpoint {
  /** The URL to which events are posted from now on, including pending ones. */
  @ApiPropertyOptional({ minLength: 1, maxLength: MAX_URL_LENGTH })
  @MustBe(A_URL, (value) => value === undefined || isUrlText(value))
  readonly url?: string;

  /**
   * The event types that the endpoint gets from now on; null or empty: all types of payments. Deliveries of other types that
   * are still pending are removed: Paybell neither sends nor counts them.
   */
  @ApiPropertyOptional({ enum: SUBSCRIBED_TYPES, isArray: true, uniqueItems: true, nullable: true })
  @IsOptional()
  @MustBe(A_TYPE_LIST, isTypeList)
  readonly eventTypes?: SubscribedType[] | null;

  /** The merchant's own description; null: none. */
  @ApiPropertyOptional({ type: String, maxLength: MAX_DESCRIPTION_LENGTH, nullable: true })
  @IsOptional()
  @MustBe(A_DESCRIPTION, isDescription)
  readonly description?: string | null;

  /** False: Paybell sends nothing more to it; true: Paybell sends the pending events and all later ones. */
  @ApiPropertyOptional()
  @MustBe(A_FLAG, isFlag)
  readonly enabled?: boolean;

  /**
   * True, together with `enabled: true`: Paybell also sends the events of `unsent`. A recovery that is running sends them too,
   * and is the one in the answer.
   */
  @ApiPropertyOptional({ default: false })
  @MustBe(A_FLAG, isFlag)
  readonly recover?: boolean;
}

/** A webhook endpoint as the API returns it, without its secret. */
export class WebhookEndpointView {
  readonly id!: string;
  readonly url!: string;
  @ApiProperty({ enum: SUBSCRIBED_TYPES, isArray: true })
  readonly eventTypes!: readonly SubscribedType[];
  @ApiProperty({ type: String, nullable: true })
  readonly description!: string | null;
  readonly enabled!: boolean;
  /** Why the endpoint is disabled; null while it is enabled. */
  @ApiProperty({ type: String, nullable: true })
  readonly disabledReason!: string | null;
  @ApiProperty({ enum: SIGNATURES })
  readonly signature!: Signature;
  /** Verifies `v1a` signatures; null with `v1`, whose secret is shown only once. */
  @ApiProperty({ type: String, nullable: true, example: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=' })
  readonly publicKey!: string | null;
  /** After a rotation: until when the previous secret signs too. Null: only the newest one signs. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly previousSecretExpiresAt!: Date | null;
  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: Date;
  /**
   * `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
   * success fails too; `open`: it gets only probes; `recovering`: it answers again, and gets its backlog little by little.
   */
  @ApiProperty({ enum: ENDPOINT_STATES })
  readonly state!: EndpointState;
  /** The payments of which the endpoint did not acknowledge an event when it was tried, and that will be tried again. */
  readonly refused!: RefusedPaymentsAnswer;
  /**
   * `open` after ten failures in a row, of at least three payments: only probes are sent; `recovering`: waiting events are
   * sent gradually.
   */
  @ApiProperty({ enum: CIRCUITS })
  readonly circuit!: Circuit;
  /** When the endpoint first failed a payment that was first tried after the last success; null: it has failed none. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly failingSince!: Date | null;
  /** The earliest time of the next probe; null while the circuit is not open. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly nextProbeAt!: Date | null;
  /** `secret_unreadable`: its secret cannot be decrypted, so that Paybell sends nothing to it. Null: no problem. */
  @ApiProperty({ type: String, enum: ENDPOINT_PROBLEMS, nullable: true })
  readonly problem!: EndpointProblem | null;
  /**
   * How many deliveries are pending, counted up to 10,000; in a list of more than ten endpoints up to 100,000 divided by their
   * number.
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly pending!: number;
  /** When the oldest pending delivery was recorded; null: none is pending. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly oldestPendingAt!: Date | null;
  /** The events that were recorded while it was disabled, and that it was not sent since. */
  readonly unsent!: UnsentEventsAnswer;
  /** When the endpoint last acknowledged an event; null: never. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly lastDeliveredAt!: Date | null;
}

/** The answer to a change. */
export class ChangedWebhookEndpoint extends WebhookEndpointView {
  /** Only with `recover`: the recovery that sends the unsent events, with their `count`. */
  @ApiProperty({ required: false })
  readonly recovery?: ReplayView;
}

/** The answer to a creation, the only one that shows the secret. */
export class CreatedWebhookEndpoint extends WebhookEndpointView {
  /**
   * The secret, which verifies the signature of every webhook and is not shown again. Null with `v1a`: `publicKey` verifies.
   */
  @ApiProperty({ type: String, nullable: true, example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  readonly secret!: string | null;
}

export class WebhookEndpointList {
  readonly data!: WebhookEndpointView[];
}
