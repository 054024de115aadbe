import { Injectable } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { WebhookTarget } from '../../ports/webhook-endpoints.ts';
import { VERSION } from '../../platform/version.ts';
import type { Ending } from './http-attempt.ts';
import { signedHeaders } from './signature.ts';
import { WebhookClient } from './webhook-client.ts';

interface SentEvent {
  readonly eventId: string;
  readonly body: string;
  /** Of the attempt, or of the event; left out or null: neither has one. */
  readonly traceparent?: string | null;
}

/** Signs an event's bytes with every valid secret of the endpoint and posts them; used for deliveries and tests. */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly client: WebhookClient,
    private readonly clock: Clock,
  ) {}

  /** Rejects only for an invalid secret or an invalid URL. */
  async send(
    { url, secrets }: WebhookTarget,
    { eventId, body, traceparent = null }: SentEvent,
    signal: AbortSignal,
  ): Promise<Ending> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Paybell/${VERSION}`,
      ...(traceparent === null ? {} : { traceparent }),
      ...signedHeaders(eventId, body, secrets, this.clock.now()),
    };
    return this.client.post(new URL(url), headers, Buffer.from(body, 'utf8'), signal);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
