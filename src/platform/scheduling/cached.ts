import type { Timers } from '../../ports/timers.ts';

/** An answer that took long to read lasts so many times as long: reading never takes more than a fiftieth of the time. */
const LASTS_TIMES = 50;

/** Shares an answer among all callers for a while, and one reading among those that wait for it. A failure is not kept. */
export class Cached<Answer> {
  private last: { readonly answer: Answer; readonly untilMs: number } | null = null;
  private reading: Promise<Answer> | null = null;

  constructor(
    private readonly read: () => Promise<Answer>,
    private readonly freshMs: number,
    private readonly timers: Timers,
  ) {}

  get(): Promise<Answer> {
    if (this.last !== null && this.timers.nowMs() < this.last.untilMs)
      return Promise.resolve(this.last.answer);
    this.reading ??= this.readAndKeep().finally(() => (this.reading = null));
    return this.reading;
  }

  private async readAndKeep(): Promise<Answer> {
    const beganAtMs = this.timers.nowMs();
    const answer = await this.read();
    const nowMs = this.timers.nowMs();
    const lastsMs = Math.max(this.freshMs, LASTS_TIMES * (nowMs - beganAtMs));
    this.last = { answer, untilMs: nowMs + lastsMs };
    return answer;
  }
}
