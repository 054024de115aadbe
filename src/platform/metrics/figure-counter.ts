import { Injectable } from '@nestjs/common';

import { BUCKET_NAMES, type Counts, type LatencyName } from '../../domain/figures/counts.ts';
import { bucketOf } from '../../domain/figures/latency.ts';

/** In a minute with more destinations than this, only their sum is counted. */
const MAX_DESTINATIONS = 2_000;

/** The counts since the last `takeCounts`. */
export interface Counted {
  readonly all: Counts;
  readonly destinations: readonly { readonly destinationId: string; readonly counts: Counts }[];
  readonly providers: readonly { readonly provider: string; readonly counts: Counts }[];
}

/** Keeps counts in memory until the figures are written. Counting costs one look-up in a map. */
@Injectable()
export class FigureCounter {
  private all = new Map<string, number>();
  private destinations = new Map<string, Map<string, number>>();
  private providers = new Map<string, Map<string, number>>();

  count(name: string): void {
    add(this.all, name);
  }

  countOf(provider: string, name: string): void {
    let counts = this.providers.get(provider);
    if (counts === undefined) this.providers.set(provider, (counts = new Map()));
    add(counts, name);
  }

  timeOf(provider: string, name: LatencyName, durationMs: number): void {
    this.countOf(provider, bucketName(name, durationMs));
  }

  countAt(destinationId: string, name: string): void {
    add(this.all, name);
    const counts = this.countsOf(destinationId);
    if (counts !== null) add(counts, name);
  }

  timeAt(destinationId: string, name: LatencyName, durationMs: number): void {
    this.countAt(destinationId, bucketName(name, durationMs));
  }

  /** Returns the counts and begins anew. */
  takeCounts(): Counted {
    const { all, destinations, providers } = this;
    this.all = new Map();
    this.destinations = new Map();
    this.providers = new Map();
    for (const counts of providers.values()) for (const [name, count] of counts) add(all, name, count);
    return {
      all: Object.fromEntries(all),
      destinations: [...destinations].map(([destinationId, counts]) => ({
        destinationId,
        counts: Object.fromEntries(counts),
      })),
      providers: [...providers].map(([provider, counts]) => ({
        provider,
        counts: Object.fromEntries(counts),
      })),
    };
  }

  private countsOf(destinationId: string): Map<string, number> | null {
    const known = this.destinations.get(destinationId);
    if (known !== undefined) return known;
    if (this.destinations.size >= MAX_DESTINATIONS) return null;
    const counts = new Map<string, number>();
    this.destinations.set(destinationId, counts);
    return counts;
  }
}

/** A duration that is not a number counts as 0. */
function bucketName(name: LatencyName, durationMs: number): string {
  return BUCKET_NAMES[name][Number.isNaN(durationMs) ? 0 : bucketOf(durationMs)] ?? '';
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
