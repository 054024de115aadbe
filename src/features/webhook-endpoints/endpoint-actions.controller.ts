import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { adviceOn } from '../../domain/delivery/failure-advice.ts';
import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { Clock } from '../../ports/clock.ts';
import { WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { WebhookTester } from '../../ports/webhook-tester.ts';
import {
  RotatedSecret,
  TEST_TYPE,
  TestBody,
  type TestType,
  WebhookTestResult,
} from './endpoint-actions.dto.ts';
import { shownSecret } from './endpoint-view.ts';
import { newSigningKey } from './new-signing-key.ts';
import { WebhookTestLimiter } from './webhook-test-limiter.ts';
import { findEndpoint, UnknownWebhookEndpoint } from './webhook-endpoints.controller.ts';

const OVERLAP_MS = 24 * 3_600_000;

/** Rotates the secret of a webhook endpoint, and tests it. */
@ApiTags('Webhook endpoints')
@Allow(ACCESS.repair)
@Controller('api/webhook-endpoints/:id')
export class EndpointActionsController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly tester: WebhookTester,
    private readonly testLimiter: WebhookTestLimiter,
    private readonly clock: Clock,
  ) {}

  @Post('rotate-secret')
  @Allow(ACCESS.manage)
  @Audited('endpoint.rotate_secret')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret or key pair',
    description: 'For 24 hours the previous one signs too, so that each webhook has both signatures.',
  })
  async rotateSecret(@Param('id') id: string): Promise<RotatedSecret> {
    const key = newSigningKey((await findEndpoint(this.endpoints, id)).signature);
    const until = new Date(this.clock.now().getTime() + OVERLAP_MS);
    const previousSecretExpiresAt = await this.endpoints.rotate(id, key, until);
    return { secret: shownSecret(key), publicKey: key.publicKey, previousSecretExpiresAt };
  }

  @Post('test')
  @Audited('endpoint.test')
  @HttpCode(200)
  @ApiBody({ type: TestBody, required: false })
  @ApiOperation({
    operationId: 'testWebhookEndpoint',
    summary:
      'Send one `webhook.test` event, or an example of another type, now, even to a disabled endpoint, and return the result',
  })
  test(
    @Param('id') id: string,
    @OnlyBodyFields(TestBody) { type = TEST_TYPE }: TestBody,
    @Req() { apiKeyName = '' }: KeyedRequest,
  ): Promise<WebhookTestResult> {
    return this.testLimiter.run(apiKeyName, () => this.testNow(id, type));
  }

  private async testNow(id: string, type: TestType): Promise<WebhookTestResult> {
    const target = isUUID(id) ? await this.endpoints.target(id) : null;
    if (target === null) throw new UnknownWebhookEndpoint();
    const answer = await this.tester.test(target, type === TEST_TYPE ? null : type);
    const { failure, code } = answer;
    return { ...answer, advice: failure === null ? null : adviceOn(failure, code) };
  }
}
