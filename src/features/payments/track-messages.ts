import { Injectable } from '@nestjs/common';

import { UnknownPayment } from '../adoption/unknown-payment.ts';
import { inSpan } from '../../platform/http/in-span.ts';
import { InvalidField } from '../../platform/http/invalid-field.ts';
import { BodyTooLarge, MalformedJson, UnsupportedMediaType } from '../../platform/http/json-body.ts';
import { readFields } from '../../platform/http/read-fields.ts';
import { parseJson } from '../../platform/http/parse-json.ts';
import { ProviderCredentials, ProviderRefused, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { OrderAlreadyNamed } from '../../ports/labels.ts';
import { PaymentRemoved, StoreUnavailable } from '../../ports/payments.ts';
import { TrackRequests, type TrackOutcome, type TrackRequest } from '../../ports/track-requests.ts';
import { Tracer, type RequestSpan } from '../../ports/tracer.ts';
import { PaymentsService, trackOutcome, type Tracked } from './payments.service.ts';
import { TrackBody } from './payments.dto.ts';
import { trackOrder } from './track-order.ts';

const REJECTED = [
  BodyTooLarge,
  MalformedJson,
  UnsupportedMediaType,
  UnknownPayment,
  OrderAlreadyNamed,
  PaymentRemoved,
  ProviderRefused,
] as const;
/** The caller name that all messages share, beside the names of API keys. */
const CALLER = 'track queue';

const HELD = [StoreUnavailable, ProviderUnavailable, ProviderCredentials] as const;

/** Tracks the quotes that messages name, by the same rules as `POST /api/payments`. */
@Injectable()
export class TrackMessages extends TrackRequests {
  constructor(
    private readonly service: PaymentsService,
    private readonly tracer: Tracer,
  ) {
    super();
  }

  async takeRequest(request: TrackRequest): Promise<TrackOutcome> {
    const span = this.tracer.requested('track message', request.traceparent);
    try {
      const { isNew } = await inSpan(span, null, () => this.track(request, span), trackOutcome);
      return { kind: 'taken', isNew };
    } catch (error) {
      return outcomeOf(error);
    }
  }

  private async track(
    { body, contentType, contentEncoding }: TrackRequest,
    span: RequestSpan | null,
  ): Promise<Tracked> {
    const sent = parseJson(body, contentType, contentEncoding);
    const fields = readFields(TrackBody, sent);
    const order = trackOrder(fields, new TextDecoder().decode(body));
    return this.service.track(fields.quoteId, order, CALLER, span);
  }
}

/** Throws unexpected errors again. */
function outcomeOf(error: unknown): TrackOutcome {
  if (error instanceof InvalidField) return { kind: 'rejected', code: error.code, reason: sentenceOf(error) };
  const rejection = REJECTED.find((each) => error instanceof each);
  if (rejection !== undefined) {
    const { code, message } = error as InstanceType<typeof rejection>;
    return { kind: 'rejected', code, reason: message };
  }
  if (!HELD.some((each) => error instanceof each)) throw error;
  const retryInMs = error instanceof ProviderUnavailable ? error.retryAfterMs : null;
  return { kind: 'held', reason: (error as Error).message, retryInMs };
}

function sentenceOf({ errors }: InvalidField): string {
  return `${errors.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
}
