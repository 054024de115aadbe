import type { JsonSchema } from '../domain/text/json-schema.ts';
import type { Destination, FailureClass } from './deliveries.ts';
import type { DelayCause } from './delivery-figures.ts';

/** The kind whose one target is RabbitMQ's exchange, in the table `destination`. */
export const RABBITMQ = 'rabbitmq';

export type Json = Readonly<Record<string, unknown>>;

/** A channel on which Paybell sends events, in the AsyncAPI document. */
export interface EventChannel {
  readonly name: string;
  /** `all` includes test events. */
  readonly events: 'all' | 'payments';
  readonly contentType: string;
  /** Null: the messages have no headers. */
  readonly headers: JsonSchema | null;
  readonly channel: Json;
  readonly operation: Json;
}

/** A channel on which Paybell takes one kind of message, in the AsyncAPI document. */
export interface RequestChannel {
  readonly name: string;
  readonly channel: Json;
  readonly operation: Json;
  readonly message: Json;
}

/**
 * Describes a kind of destination. The kind's module registers this in every process, even in those that do not deliver to it.
 */
export interface DestinationDescriptor {
  /** The kind's name in the table `destination`, in metrics and in logs. */
  readonly kind: string;
  /** The name for people; for a kind with one target, that target's name. */
  readonly name: string;
  /** The failure classes of the kind's attempts. */
  readonly failures: readonly FailureClass[];
  /** Why deliveries of this kind can be late. */
  readonly delayCauses: readonly DelayCause[];
  /**
   * `endpoints`: operators create the targets, each with a URL. Otherwise the only target is created at the start, and then
   * enabled or disabled; null: this process does not change its state.
   */
  readonly targets: 'endpoints' | { readonly isEnabled: boolean | null };
  readonly channel: EventChannel;
  readonly requests: readonly RequestChannel[];
}

/** All kinds of destinations, whether or not this process delivers to them. */
export class DestinationKinds {
  constructor(readonly all: readonly DestinationDescriptor[]) {}

  /** The name of the kind for people. */
  nameOf(kind: string): string {
    return this.all.find((each) => each.kind === kind)?.name ?? kind;
  }
}

/** The destinations to which this process delivers. */
export class Destinations {
  constructor(readonly all: readonly Destination[]) {}
}

/** The targets of those kinds of destinations that have only one. */
export abstract class SingleTargets {
  /** Null: the kind has no target. */
  abstract idOf(kind: string): Promise<string | null>;
}
