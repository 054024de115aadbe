import type { ProviderView } from './provider-view.ts';
import type { ConnectionTrouble } from './readiness.ts';
import type { SeenRpcTrouble } from './rpc-trouble.ts';

/** The facts that a running process writes of itself every few seconds. */
export interface ReplicaState {
  readonly id: string;
  readonly roles: readonly string[];
  readonly release: string;
  readonly startedAt: Date;
  /** Fingerprints of the settings that replicas must agree on, by name: those that its roles use. */
  readonly settings: Readonly<Record<string, string>>;
  /** The facts that it alone knows of each provider, by name. */
  readonly providers: Readonly<Record<string, ProviderView>>;
  /** By the kind of destination: what keeps its events from it. */
  readonly troubles: Readonly<Record<string, ConnectionTrouble>>;
  /** The RPCs that an operator should look at, as far as it saw. */
  readonly rpcs: readonly SeenRpcTrouble[];
}

export interface SeenReplica extends ReplicaState {
  readonly seenAt: Date;
  /** False: it was not seen for so long that it may be gone, and it did not stop by itself. */
  readonly isAlive: boolean;
}

const NOTHING_KNOWN: ProviderView = { detail: null, isKeyRefused: false, slowMs: null, refusals: [] };

/** Returns what a replica knows of a provider: nothing where it does not have it. */
export function viewOf({ providers }: ReplicaState, provider: string): ProviderView {
  return providers[provider] ?? NOTHING_KNOWN;
}

/** The processes that share the database. */
export abstract class Replicas {
  /** Those that were seen within the last hour, the newest first; at most 100. */
  abstract recent(): Promise<SeenReplica[]>;

  /** The process stops by itself. */
  abstract remove(id: string): Promise<void>;
}

/** Describes this process: its roles, release and settings that must agree. */
export class ThisReplica {
  constructor(
    readonly id: string,
    readonly roles: readonly string[],
    readonly release: string,
    readonly settings: ReplicaState['settings'],
  ) {}
}
