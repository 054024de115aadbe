import { randomUUID } from 'node:crypto';

import { Replays, ReplayRunning, type EventReplay } from '../../../src/ports/replays.ts';

/** Replays in memory; `found` is what each one finds, `batches` what working off answers, one after the other. */
export class FakeReplays extends Replays {
  found = 0;
  readonly started: EventReplay[] = [];
  readonly batches: (number | Error)[] = [];
  readonly forgotBefore: Date[] = [];
  worked = 0;
  private readonly running = new Map<string, string>();

  /** Ends all that run. */
  end(): void {
    this.running.clear();
  }

  async count(): Promise<number> {
    return this.found;
  }

  async start(endpointId: string, since: Date): Promise<EventReplay> {
    const running = this.started.find(({ id }) => id === this.running.get(endpointId));
    if (running !== undefined) throw new ReplayRunning(running.id);
    const replay: EventReplay = {
      id: randomUUID(),
      endpointId,
      since,
      state: 'running',
      count: this.found,
      done: 0,
      createdAt: new Date('2026-11-20T12:00:00.000Z'),
      finishedAt: null,
    };
    this.started.unshift(replay);
    this.running.set(endpointId, replay.id);
    return replay;
  }

  async list(endpointId: string, limit: number): Promise<EventReplay[]> {
    return this.started.filter((each) => each.endpointId === endpointId).slice(0, limit);
  }

  async find(endpointId: string, id: string): Promise<EventReplay | null> {
    return this.started.find((each) => each.endpointId === endpointId && each.id === id) ?? null;
  }

  async runBatch(): Promise<number | null> {
    this.worked += 1;
    const batch = this.batches.shift() ?? null;
    if (batch instanceof Error) throw batch;
    return batch;
  }

  async removeEnded(before: Date): Promise<number> {
    this.forgotBefore.push(before);
    return 0;
  }
}
