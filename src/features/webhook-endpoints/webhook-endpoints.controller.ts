import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { BodyFields, OnlyBodyFields } from '../../platform/http/body-fields.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import {
  WebhookEndpoints,
  type EndpointChanges,
  type WebhookEndpoint,
} from '../../ports/webhook-endpoints.ts';
import { ReplaySignal } from '../../platform/scheduling/wake-signal.ts';
import { Replays } from '../../ports/replays.ts';
import { WebhookUrls } from '../../ports/webhook-urls.ts';
import { shownSecret, viewOf } from './endpoint-view.ts';
import { newSigningKey } from './new-signing-key.ts';
import type { ReplayView } from './replay.dto.ts';
import {
  ChangedWebhookEndpoint,
  ChangeWebhookEndpoint,
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointView,
} from './webhook-endpoint.dto.ts';
import { WebhookEndpointsSettings } from './webhook-endpoints.settings.ts';

const BY_REQUEST = 'by request';

/** No webhook endpoint has this id. */
export class UnknownWebhookEndpoint extends Error {
  readonly code = 'unknown_webhook_endpoint';
  constructor() {
    super('There is no webhook endpoint with this id.');
  }
}

/** The endpoint with the id in a request's path. Throws UnknownWebhookEndpoint. */
export async function findEndpoint(endpoints: WebhookEndpoints, id: string): Promise<WebhookEndpoint> {
  const endpoint = isUUID(id) ? await endpoints.find(id) : null;
  if (endpoint === null) throw new UnknownWebhookEndpoint();
  return endpoint;
}

/** The merchant's webhook endpoints. */
@ApiTags('Webhook endpoints')
@Allow(ACCESS.inspect)
@Controller('api/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly urls: WebhookUrls,
    private readonly settings: WebhookEndpointsSettings,
    private readonly replays: Replays,
    private readonly replaySignal: ReplaySignal,
  ) {}

  @Post()
  @Allow(ACCESS.manage)
  @Audited('endpoint.create', { answerField: 'id' })
  @ApiBody({ type: CreateWebhookEndpoint })
  @ApiOperation({
    operationId: 'createWebhookEndpoint',
    summary: 'Add an endpoint, which gets every event from now on; only this answer shows its secret',
  })
  async create(
    @BodyFields(CreateWebhookEndpoint) body: CreateWebhookEndpoint,
  ): Promise<CreatedWebhookEndpoint> {
    this.checkUrl(body.url);
    // A null counts as absent.
    const { url, eventTypes, description, signature } = body;
    const key = newSigningKey(signature ?? 'v1');
    const asked = { url, eventTypes: eventTypes ?? [], description: description ?? null };
    const endpoint = await this.endpoints.create(asked, key, this.settings.endpoints);
    return { ...viewOf(endpoint), secret: shownSecret(key) };
  }

  @Get()
  @ApiOperation({ operationId: 'listWebhookEndpoints', summary: 'All webhook endpoints' })
  async list(): Promise<WebhookEndpointList> {
    return { data: (await this.endpoints.list()).map(viewOf) };
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getWebhookEndpoint', summary: 'One webhook endpoint' })
  async read(@Param('id') id: string): Promise<WebhookEndpointView> {
    return viewOf(await findEndpoint(this.endpoints, id));
  }

  @Patch(':id')
  @Allow(ACCESS.manage)
  @Audited('endpoint.change')
  @ApiBody({ type: ChangeWebhookEndpoint })
  @ApiOperation({
    operationId: 'updateWebhookEndpoint',
    summary: 'Change an endpoint',
    description:
      'While it is disabled, its pending events wait, and new events are not queued for it: `unsent` counts them, and `recover` sends them.',
  })
  async change(
    @Param('id') id: string,
    @OnlyBodyFields(ChangeWebhookEndpoint) body: ChangeWebhookEndpoint,
  ): Promise<ChangedWebhookEndpoint> {
    if (body.url !== undefined) this.checkUrl(body.url);
    if (body.recover === true && body.enabled !== true)
      throw new InvalidField('recover', 'goes only together with "enabled": true');
    const endpoint = isUUID(id) ? await this.endpoints.change(id, changesOf(body)) : null;
    if (endpoint === null) throw new UnknownWebhookEndpoint();
    if (body.recover !== true) return viewOf(endpoint);
    const recovery = await this.sendUnsent(endpoint);
    return { ...viewOf(await findEndpoint(this.endpoints, id)), recovery };
  }

  @Delete(':id')
  @Allow(ACCESS.manage)
  @Audited('endpoint.delete')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteWebhookEndpoint',
    summary: 'Remove an endpoint and discard its pending events',
  })
  async remove(@Param('id') id: string): Promise<void> {
    const isGone = isUUID(id) && (await this.endpoints.remove(id));
    if (!isGone) throw new UnknownWebhookEndpoint();
  }

  private async sendUnsent({ id }: WebhookEndpoint): Promise<ReplayView> {
    const replay = await this.replays.start(id, null);
    if (replay === null) throw new UnknownWebhookEndpoint();
    this.replaySignal.wake();
    return replay;
  }

  private checkUrl(url: string): void {
    const refusal = this.urls.refusal(url);
    if (refusal !== null) throw new InvalidField('url', refusal);
  }
}

function changesOf({ url, eventTypes, description, enabled }: ChangeWebhookEndpoint): EndpointChanges {
  return {
    ...(url === undefined ? {} : { url }),
    ...(eventTypes === undefined ? {} : { eventTypes: eventTypes ?? [] }),
    ...(description === undefined ? {} : { description }),
    ...(enabled === undefined ? {} : { disabledReason: enabled ? null : BY_REQUEST }),
  };
}
