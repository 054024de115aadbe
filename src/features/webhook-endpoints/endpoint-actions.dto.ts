import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

import { SUBSCRIBED_TYPES, type SubscribedType } from '../../domain/event/operational-event.ts';
import { MustBe } from '../../platform/http/must-be.ts';

export const TEST_TYPE = 'webhook.test';
export type TestType = SubscribedType | typeof TEST_TYPE;
const TEST_TYPES: readonly TestType[] = [TEST_TYPE, ...SUBSCRIBED_TYPES];

/** The request for a test; no body: an event of the type `webhook.test`. */
export class TestBody {
  /**
   * The type of the event. Every type but `webhook.test` is sent as an example, about a payment or a trouble that does not
   * exist.
   */
  @ApiPropertyOptional({ enum: TEST_TYPES, default: TEST_TYPE })
  @MustBe(`one of: ${TEST_TYPES.join(', ')}`, isTestType)
  readonly type?: TestType;
}

function isTestType(value: unknown): boolean {
  return value === undefined || TEST_TYPES.some((type) => type === value);
}

/** The answer to a rotation, the only one that shows the new secret. */
export class RotatedSecret {
  /** The new secret, which signs every webhook from now on and is not shown again. Null with `v1a`: `publicKey` verifies. */
  @ApiProperty({ type: String, nullable: true, example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  readonly secret!: string | null;

  /** The new public key; null with `v1`. */
  @ApiProperty({ type: String, nullable: true, example: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=' })
  readonly publicKey!: string | null;

  /** Until when the previous secret signs too. Null: it could not be decrypted, and no longer signs. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly previousSecretExpiresAt!: Date | null;
}

/** The result of sending the test event. */
export class WebhookTestResult {
  /** Whether the endpoint answered with a 2xx, as it must for a delivery. */
  readonly delivered!: boolean;

  /** Null without an answer. */
  @ApiProperty({ type: 'integer', nullable: true, example: 204 })
  readonly httpStatus!: number | null;

  @ApiProperty({ type: 'integer', example: 38 })
  readonly durationMs!: number;

  /** Why the event was not delivered; null after a success, or when this service could not try. */
  @ApiProperty({ type: String, nullable: true, example: 'timeout' })
  readonly failure!: string | null;

  /** The cause within the class of failure, a code of Node, OpenSSL or Paybell; null: none is known. */
  @ApiProperty({ type: String, nullable: true, example: 'CERT_HAS_EXPIRED' })
  readonly code!: string | null;

  /** The remedy, in a sentence; null without a failure. */
  @ApiProperty({ type: String, nullable: true })
  readonly advice!: string | null;

  /** The first KiB of the answer's body as text, as in a delivery; null without an answer. */
  @ApiProperty({ type: String, nullable: true })
  readonly body!: string | null;
}
