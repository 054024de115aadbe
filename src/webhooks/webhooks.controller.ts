import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { isUUID } from 'class-validator';

import { EVENT_TYPES } from '../domain/event.ts';
import { BodyFields } from '../http/body-fields.ts';
import { InvalidField } from '../http/invalid-field.ts';
import { WebhookEndpoints, type WebhookEndpoint } from '../ports/webhook-endpoints.ts';
import { WebhookUrls } from '../ports/webhook-urls.ts';
import { newSecret } from './new-secret.ts';
import {
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointView,
} from './webhook-endpoint.dto.ts';

/** No webhook endpoint has this id. */
export class UnknownWebhookEndpoint extends Error {
  readonly code = 'unknown_webhook_endpoint';
  constructor() {
    super('There is no webhook endpoint with this id.');
  }
}

/** The merchant's webhook endpoints. */
@ApiTags('Webhook endpoints')
@Controller('api/webhook-endpoints')
export class WebhooksController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly urls: WebhookUrls,
  ) {}

  /** Adds an endpoint, which is told of every event from now on. Its secret is shown here and never again. */
  @Post()
  @ApiBody({ type: CreateWebhookEndpoint })
  async create(
    @BodyFields(CreateWebhookEndpoint) body: CreateWebhookEndpoint,
  ): Promise<CreatedWebhookEndpoint> {
    const refusal = this.urls.refusal(body.url);
    if (refusal !== null) throw new InvalidField('url', refusal);
    const secret = newSecret();
    // A null counts as absent.
    const { url, eventTypes, description } = body;
    const asked = { url, eventTypes: eventTypes ?? [], description: description ?? null };
    const endpoint = await this.endpoints.create(asked, secret);
    return { ...viewOf(endpoint), secret };
  }

  @Get()
  async list(): Promise<WebhookEndpointList> {
    return { data: (await this.endpoints.list()).map(viewOf) };
  }

  @Get(':id')
  async read(@Param('id') id: string): Promise<WebhookEndpointView> {
    const endpoint = isUUID(id) ? await this.endpoints.find(id) : null;
    if (endpoint === null) throw new UnknownWebhookEndpoint();
    return viewOf(endpoint);
  }

  /** Removes an endpoint and discards what is still owed to it. */
  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id') id: string): Promise<void> {
    const isGone = isUUID(id) && (await this.endpoints.remove(id));
    if (!isGone) throw new UnknownWebhookEndpoint();
  }
}

/** No types stored means all of them, those of later versions included. */
function viewOf(endpoint: WebhookEndpoint): Pick<WebhookEndpointView, keyof WebhookEndpointView> {
  const { id, url, eventTypes, description, enabled, createdAt } = endpoint;
  return {
    id,
    url,
    eventTypes: eventTypes.length === 0 ? EVENT_TYPES : eventTypes,
    description,
    enabled,
    createdAt: createdAt.toISOString(),
  };
}
