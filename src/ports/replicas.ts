import type { ProviderView } from './provider-view.ts';
import type { ConnectionTrouble } from './readiness.ts';
import type { SeenRpcTrouble } from './rpc-trouble.ts';

/** The state that a running process writes about itself every few seconds. */
export interface ReplicaState {
  readonly id: string;
  readonly roles: readonly string[];
  readonly release: string;
  readonly startedAt: Date;
  /** The fingerprint of each setting that must agree and that the process's roles use. */
  readonly settings: Readonly<Record<string, string>>;
  /** This process's own view of each provider, by name. */
  readonly providers: Readonly<Record<string, ProviderView>>;
  /** The troubles that keep events from destinations, by kind. */
  readonly troubles: Readonly<Record<string, ConnectionTrouble>>;
  /** The RPCs that an operator should check, as far as this process has seen. */
  readonly rpcs: readonly SeenRpcTrouble[];
}

export interface SeenReplica extends ReplicaState {
  readonly seenAt: Date;
  /** False: the process was not seen for so long that it may be gone, and it did not say that it stops. */
  readonly isAlive: boolean;
}

const NOTHING_KNOWN: ProviderView = { detail: null, isKeyRefused: false, slowMs: null, refusals: [] };

/** A replica's view of a provider; an empty one if the replica does not have the provider. */
export function viewOf({ providers }: ReplicaState, provider: string): ProviderView {
  return providers[provider] ?? NOTHING_KNOWN;
}

/** The trouble that a running replica has with a provider, such as lists that it cannot read; null: none has any. */
export function troubleSeen(replicas: readonly SeenReplica[], provider: string): string | null {
  const views = replicas.filter(({ isAlive }) => isAlive).map((replica) => viewOf(replica, provider));
  return views.find(({ detail }) => detail !== null)?.detail ?? null;
}

/** The processes that share the database. */
export abstract class Replicas {
  /** The replicas that were seen within the last hour, the newest first; at most 100. */
  abstract recent(): Promise<SeenReplica[]>;

  /** Called by a process that stops. */
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
