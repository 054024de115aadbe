import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import { Replays, type MissedEvents } from '../../ports/replays.ts';
import { WebhookEndpointDisabled, WebhookEndpoints } from '../../ports/webhook-endpoints.ts';
import { ReplaySignal } from '../../platform/scheduling/wake-signal.ts';
import { RecoverAnswer, RecoverBody, ReplayList, ReplayView } from './replay.dto.ts';
import { findEndpoint, UnknownWebhookEndpoint } from './webhook-endpoints.controller.ts';

const MAX_LISTED = 100;

/** The endpoint has no recovery (replay) with this id. */
export class UnknownReplay extends Error {
  readonly code = 'unknown_recovery';
  constructor() {
    super('This webhook endpoint has no recovery with this id.');
  }
}

/** Sends the events again that a webhook endpoint has not acknowledged. */
@ApiTags('Webhook endpoints')
@Allow(ACCESS.inspect)
@Controller('api/webhook-endpoints/:id')
export class ReplaysController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly replays: Replays,
    private readonly replaySignal: ReplaySignal,
  ) {}

  @Post('recover')
  @Allow(ACCESS.repair)
  @Audited('endpoint.recover')
  @HttpCode(200)
  @ApiBody({ type: RecoverBody })
  @ApiOperation({
    operationId: 'createRecovery',
    summary:
      'Send every event since then again that the endpoint subscribes to and has not acknowledged, or only count them',
  })
  async recover(
    @Param('id') id: string,
    @OnlyBodyFields(RecoverBody) body: RecoverBody,
  ): Promise<RecoverAnswer> {
    const endpoint = await findEndpoint(this.endpoints, id);
    const since = new Date(body.since);
    if (body.dryRun === true) return dryAnswer(endpoint.id, since, await this.replays.count(id, since));
    if (!endpoint.enabled) throw new WebhookEndpointDisabled();
    const replay = await this.replays.start(id, since);
    if (replay === null) throw new UnknownWebhookEndpoint();
    this.replaySignal.wake();
    return replay;
  }

  @Get('recoveries')
  @ApiOperation({
    operationId: 'listRecoveries',
    summary: "The endpoint's recoveries, newest first, at most 100",
  })
  async list(@Param('id') id: string): Promise<ReplayList> {
    await findEndpoint(this.endpoints, id);
    return { data: await this.replays.list(id, MAX_LISTED) };
  }

  @Get('recoveries/:recoveryId')
  @ApiOperation({ operationId: 'getRecovery', summary: 'One recovery with its progress' })
  async one(@Param('id') id: string, @Param('recoveryId') replayId: string): Promise<ReplayView> {
    await findEndpoint(this.endpoints, id);
    const replay = isUUID(replayId) ? await this.replays.find(id, replayId) : null;
    if (replay === null) throw new UnknownReplay();
    return replay;
  }

  @Post('recoveries/:recoveryId/cancel')
  @Allow(ACCESS.repair)
  @Audited('endpoint.cancel_recovery')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelRecovery',
    summary: 'End a running recovery: it queues no more events',
    description: 'What it has queued is delivered; a recovery that has ended stays as it is.',
  })
  async cancel(@Param('id') id: string, @Param('recoveryId') replayId: string): Promise<ReplayView> {
    await findEndpoint(this.endpoints, id);
    const replay = isUUID(replayId) ? await this.replays.cancel(id, replayId) : null;
    if (replay === null) throw new UnknownReplay();
    return replay;
  }
}

function dryAnswer(endpointId: string, since: Date, missed: MissedEvents): RecoverAnswer {
  const nothing = { id: null, state: null, done: 0, createdAt: null, finishedAt: null };
  return { ...nothing, ...missed, endpointId, since };
}
