import { Logger } from '@nestjs/common';

import type { EventType } from '../../domain/event/event.ts';
import type { DueDelivery } from '../../ports/deliveries.ts';
import type { ConnectionTrouble } from '../../ports/readiness.ts';
import type { Refusal } from './refusal.ts';

const PROBE_FROM_MS = 1_000;
const PROBE_UP_TO_MS = 10_000;
const MOST_SAID = 3;
const EXCHANGE = 'exchange';
const NACKED = '(nack): a bound queue is full';

type Refusable = Pick<DueDelivery, 'eventId' | 'type'>;

/**
 * How to publish an event: `together` with others, `alone` because it may be refused, alone as the probe of its topic or of
 * the exchange, or not now because of the broker's words.
 */
export type PublishWay = 'together' | 'alone' | 'probe' | { readonly words: string };

interface Remembered {
  /** Describes the refused events. */
  readonly events: string;
  readonly words: string;
  readonly since: Date;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** A refusal that closes a channel costs more than a nack: the next event is tried only at this time. Null: at any time. */
  readonly probeAtMs: number | null;
}

/**
 * The refused events: those of a type (by nack, or by topic), all events, or single ones. A refusal is remembered until the
 * broker accepts an event that it concerns, or has refused none for a while.
 */
export class Refusals {
  private readonly log = new Logger('RabbitMQ');
  private readonly refused = new Map<string, Remembered>();
  /** Ids of events one of which has closed a channel, and the time until which each is remembered. */
  private readonly suspects = new Map<string, number>();

  constructor(
    private readonly rememberForMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Takes a probe if one is due: the event is then to be published. */
  wayOf({ eventId, type }: Refusable): PublishWay {
    if (this.refused.size === 0 && this.suspects.size === 0) return 'together';
    for (const scope of [EXCHANGE, topicOf(type)]) {
      const remembered = this.present(scope);
      if (remembered === undefined || remembered.probeAtMs === null) continue;
      if (remembered.probeAtMs > this.nowMs()) return { words: remembered.words };
      this.refused.set(scope, { ...remembered, probeAtMs: this.nextProbeAtMs(remembered.sinceMs) });
      return 'probe';
    }
    return (this.suspects.get(eventId) ?? Number.NEGATIVE_INFINITY) > this.nowMs() ? 'alone' : 'together';
  }

  /** Notes that the broker closed a channel because of this event, or perhaps because of another one. */
  suspect({ eventId }: Refusable): void {
    for (const [id, until] of this.suspects) if (until <= this.nowMs()) this.suspects.delete(id);
    this.suspects.set(eventId, this.nowMs() + this.rememberForMs);
  }

  noteNacked({ type }: Refusable): void {
    this.remember(nackOf(type), type, NACKED, false);
  }

  noteRefused(event: Refusable, { words, scope }: Refusal): void {
    const { eventId, type } = event;
    if (scope === 'exchange') return this.remember(EXCHANGE, 'every event', words, true);
    if (scope === 'topic') return this.remember(topicOf(type), type, words, true);
    this.suspect(event);
    this.remember(eventId, `an event of ${type}`, words, false);
  }

  /** The exchange accepted the event: only a queue may still nack it. */
  noteTaken({ eventId, type }: Refusable): void {
    if (this.refused.size === 0 && this.suspects.size === 0) return;
    for (const scope of [EXCHANGE, topicOf(type), eventId]) this.forget(scope);
    this.suspects.delete(eventId);
  }

  noteRouted(event: Refusable): void {
    this.noteTaken(event);
    this.forget(nackOf(event.type));
  }

  /** Null: the broker refuses nothing. */
  trouble(): ConnectionTrouble | null {
    const present = [...this.refused.keys()].flatMap((scope) => this.present(scope) ?? []);
    if (present.length === 0) return null;
    const said = [...new Set(present.map(({ words }) => words))].slice(0, MOST_SAID).map((words) => {
      const events = new Set(present.filter((each) => each.words === words).map((each) => each.events));
      return `${[...events].join(', ')}${words === NACKED ? ' ' : ': '}${words}`;
    });
    const since = new Date(Math.min(...present.map((each) => each.since.getTime())));
    return { problem: 'refuses', detail: `the broker refuses ${said.join('; ')}`, since };
  }

  private remember(scope: string, events: string, words: string, isProbed: boolean): void {
    const before = this.present(scope);
    if (before === undefined && words !== NACKED) this.log.warn(`RabbitMQ refuses ${events}: ${words}`);
    const nowMs = this.nowMs();
    const { since, sinceMs } = before ?? { since: new Date(), sinceMs: nowMs };
    const probeAtMs = isProbed ? this.nextProbeAtMs(sinceMs) : null;
    this.refused.set(scope, {
      events,
      words,
      since,
      sinceMs,
      untilMs: nowMs + this.rememberForMs,
      probeAtMs,
    });
  }

  /** The waits grow with the time since the first refusal. */
  private nextProbeAtMs(sinceMs: number): number {
    const nowMs = this.nowMs();
    return nowMs + Math.min(Math.max(nowMs - sinceMs, PROBE_FROM_MS), PROBE_UP_TO_MS);
  }

  private forget(scope: string): void {
    const before = this.present(scope);
    this.refused.delete(scope);
    if (before !== undefined && before.words !== NACKED)
      this.log.log(`RabbitMQ takes ${before.events} again`);
  }

  private present(scope: string): Remembered | undefined {
    const found = this.refused.get(scope);
    if (found === undefined || found.untilMs > this.nowMs()) return found;
    this.refused.delete(scope);
    return undefined;
  }
}

function topicOf(type: EventType): string {
  return `topic ${type}`;
}

function nackOf(type: EventType): string {
  return `nack ${type}`;
}
