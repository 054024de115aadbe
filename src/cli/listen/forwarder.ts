import { newSecret } from '../../features/webhook-endpoints/new-signing-key.ts';
import { AddressGuard } from '../../platform/outbound/address-guard.ts';
import { answerOf, outcomeOfEnding } from '../../destinations/webhook/webhook-outcome.ts';
import { HostLookup } from '../../platform/outbound/guarded-connector.ts';
import { WebhookClient, WebhookSender } from '../../destinations/webhook/webhook-sender.ts';
import { Clock } from '../../ports/clock.ts';
import type { TestAnswer } from '../../ports/webhook-tester.ts';

/** The person who forwards chooses the target, so nothing is refused. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];
const TIMEOUT_MS = 15_000;

/** The clock of the person's machine, not the database's. */
class OwnClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** Posts events with the headers and the signature of Paybell's webhooks, by a secret of its own. */
export class Forwarder {
  readonly secret = newSecret();
  private readonly clock = new OwnClock();
  private readonly sender: WebhookSender;

  constructor(
    private readonly url: string,
    private readonly signal: AbortSignal,
  ) {
    const guard = new AddressGuard(ANYWHERE, true);
    const client = new WebhookClient(guard, new HostLookup(), { timeoutMs: TIMEOUT_MS });
    this.sender = new WebhookSender(client, this.clock);
  }

  /** Null when the command is about to end. */
  async forward(event: { readonly eventId: string; readonly body: string }): Promise<TestAnswer | null> {
    const startedAt = performance.now();
    const target = { id: 'listen', url: this.url, description: null, secrets: [this.secret] };
    const ending = await this.sender.send(target, event, this.signal);
    const durationMs = Math.round(performance.now() - startedAt);
    if (ending.kind === 'aborted') return null;
    return { ...answerOf(await outcomeOfEnding(ending, this.clock.now())), durationMs };
  }

  close(): Promise<void> {
    return this.sender.close();
  }
}
