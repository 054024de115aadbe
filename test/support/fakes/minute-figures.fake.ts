import type { Counts } from '../../../src/domain/figures/counts.ts';
import {
  FIGURE_LENGTHS,
  HOUR_MS,
  MINUTE_MS,
  type FigureLength,
  type TimeRange,
} from '../../../src/domain/figures/time-ranges.ts';
import {
  MinuteFigures,
  type DestinationSum,
  type FigureBatch,
  type FigurePoint,
  type FigureTarget,
} from '../../../src/ports/minute-figures.ts';
import type { ReplicaState } from '../../../src/ports/replicas.ts';
import type { Removed } from '../../../src/ports/retention.ts';

const ALL = 'all';
const LENGTH_MS: Readonly<Record<FigureLength, number>> = { minute: MINUTE_MS, hour: HOUR_MS };

interface Row {
  readonly target: string;
  readonly length: FigureLength;
  readonly at: number;
  counts: Counts;
}

/** Figures in memory. Passes the same contract suite as PostgreSQL's. */
export class FakeMinuteFigures extends MinuteFigures {
  /** The kind of each destination that there is. */
  readonly kinds = new Map<string, string>();
  readonly beats: ReplicaState[] = [];
  /** Thrown by the next write, and by all after it until it is null again. */
  failure: Error | null = null;
  private readonly batches = new Map<string, number>();
  private rows: Row[] = [];

  async write(replica: ReplicaState, batch: FigureBatch | null): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.beats.push(replica);
    if (batch === null || batch.number <= (this.batches.get(replica.id) ?? 0)) return;
    this.batches.set(replica.id, batch.number);
    this.add(ALL, batch.at, batch.all);
    for (const { counts, ...target } of [...batch.destinations, ...batch.providers])
      this.add(nameOf(target), batch.at, counts);
  }

  async series(
    target: FigureTarget | null,
    { from, to }: TimeRange,
    stepMs: number,
    length: FigureLength,
  ): Promise<FigurePoint[]> {
    const name = nameOf(target);
    const rows = this.rows.filter(
      (row) => row.target === name && row.length === length && row.at >= from && row.at < to,
    );
    const steps = new Map<number, Counts>();
    for (const { at, counts } of rows) {
      const step = Math.floor(at / stepMs) * stepMs;
      steps.set(step, sumOf([steps.get(step) ?? {}, counts]));
    }
    return [...steps]
      .sort(([one], [other]) => one - other)
      .map(([at, counts]) => ({ at: new Date(at), counts }));
  }

  async sum(target: FigureTarget | null, range: TimeRange): Promise<Counts> {
    return this.sumAt(nameOf(target), range);
  }

  async sumsOfDestinations(range: TimeRange, destinationId: string | null): Promise<DestinationSum[]> {
    return [...this.kinds]
      .filter(([id]) => destinationId === null || id === destinationId)
      .map(([id, kind]) => ({ destinationId: id, kind, counts: this.sumAt(id, range) }))
      .filter(({ counts }) => Object.keys(counts).length > 0);
  }

  async removeBefore(before: Date, limit: number): Promise<Removed> {
    const old = this.rows.filter(({ at }) => at < before.getTime()).slice(0, limit);
    this.rows = this.rows.filter((row) => !old.includes(row));
    return { count: old.length, isMore: old.length === limit };
  }

  private add(target: string, at: Date, counts: Counts): void {
    for (const length of FIGURE_LENGTHS) {
      const start = Math.floor(at.getTime() / LENGTH_MS[length]) * LENGTH_MS[length];
      const row = this.rows.find(
        (each) => each.target === target && each.length === length && each.at === start,
      );
      if (row === undefined) this.rows.push({ target, length, at: start, counts });
      else row.counts = sumOf([row.counts, counts]);
    }
  }

  private sumAt(target: string, { from, to }: TimeRange): Counts {
    const rows = this.rows.filter(
      (row) => row.target === target && row.length === 'minute' && row.at >= from && row.at < to,
    );
    return sumOf(rows.map(({ counts }) => counts));
  }
}

function nameOf(target: FigureTarget | null): string {
  if (target === null) return ALL;
  return 'provider' in target ? `provider ${target.provider}` : target.destinationId;
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
