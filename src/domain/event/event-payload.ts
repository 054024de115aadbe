import {
  AnomalyData,
  CompletedData,
  CreatedData,
  DepositReceivedData,
  ExecutingData,
  ExpiredData,
  FailedData,
  StalledData,
  TestData,
  UpdatedData,
} from './event-data.ts';
import { Holds } from '../text/json-fields.ts';

/** The CloudEvents 1.0 attributes that every event has. */
export class Envelope {
  @Holds({ const: '1.0', description: 'The version of CloudEvents.' })
  readonly specversion!: '1.0';

  @Holds({
    type: 'string',
    format: 'uuid',
    description: 'The same wherever the event comes: deduplicate by it.',
  })
  readonly id!: string;

  @Holds({ type: 'string', format: 'uri-reference', minLength: 1, description: '`EVENT_SOURCE`.' })
  readonly source!: string;

  @Holds({ type: 'string', description: 'The type of the event.' })
  readonly type!: string;

  @Holds({ type: 'string', format: 'date-time', description: 'When it was recorded, UTC with milliseconds.' })
  readonly time!: string;

  @Holds({ const: 'application/json', description: 'What `data` is.' })
  readonly datacontenttype!: 'application/json';
}

/** An event about a payment. */
export class PaymentEnvelope extends Envelope {
  @Holds({ type: 'string', minLength: 1, description: 'The quote id of the payment.' })
  readonly subject!: string;
}

export class PaymentCreated extends PaymentEnvelope {
  @Holds({ const: 'payment.created' })
  override readonly type!: 'payment.created';

  @Holds(CreatedData)
  readonly data!: CreatedData;
}

export class PaymentDepositReceived extends PaymentEnvelope {
  @Holds({ const: 'payment.deposit_received' })
  override readonly type!: 'payment.deposit_received';

  @Holds(DepositReceivedData)
  readonly data!: DepositReceivedData;
}

export class PaymentExecuting extends PaymentEnvelope {
  @Holds({ const: 'payment.executing' })
  override readonly type!: 'payment.executing';

  @Holds(ExecutingData)
  readonly data!: ExecutingData;
}

export class PaymentCompleted extends PaymentEnvelope {
  @Holds({ const: 'payment.completed' })
  override readonly type!: 'payment.completed';

  @Holds(CompletedData)
  readonly data!: CompletedData;
}

export class PaymentFailed extends PaymentEnvelope {
  @Holds({ const: 'payment.failed' })
  override readonly type!: 'payment.failed';

  @Holds(FailedData)
  readonly data!: FailedData;
}

export class PaymentExpired extends PaymentEnvelope {
  @Holds({ const: 'payment.expired' })
  override readonly type!: 'payment.expired';

  @Holds(ExpiredData)
  readonly data!: ExpiredData;
}

export class PaymentUpdated extends PaymentEnvelope {
  @Holds({ const: 'payment.updated' })
  override readonly type!: 'payment.updated';

  @Holds(UpdatedData)
  readonly data!: UpdatedData;
}

export class PaymentStalled extends PaymentEnvelope {
  @Holds({ const: 'payment.stalled' })
  override readonly type!: 'payment.stalled';

  @Holds(StalledData)
  readonly data!: StalledData;
}

export class PaymentAnomaly extends PaymentEnvelope {
  @Holds({ const: 'payment.anomaly' })
  override readonly type!: 'payment.anomaly';

  @Holds(AnomalyData)
  readonly data!: AnomalyData;
}

/** The event of a test send. It is about a webhook endpoint, not about a payment. */
export class WebhookTest extends Envelope {
  @Holds({ const: 'webhook.test' })
  override readonly type!: 'webhook.test';

  @Holds(TestData)
  readonly data!: TestData;
}
