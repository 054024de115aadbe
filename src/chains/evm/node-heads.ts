import { FINAL_SHARED_MS } from '../../domain/proof/ask-again.ts';
import type { ChainHead, ShownBlock } from '../../domain/proof/shown.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { FINALIZED, LATEST } from './questions.ts';
import type { Question } from '../rpc/json-rpc.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { RpcTrouble, stuck } from '../rpc/rpc-trouble.ts';

/** Heads only grow. So a cached head understates the depth of a block, which delays a proof but makes no false one. */
const LATEST_MS = 2_000;
/** How long the tag counts as unknown, and how long a final block is used after answers without one. */
const TAG_UNKNOWN_MS = 600_000;
const LAGS_AGAIN_MS = 5_000;
/** No chain has blocks with a time further ahead than this. */
const MOST_AHEAD_MS = 7_200_000;
/** Behind a load balancer the final block may come from another node than the head: then it is at most this far ahead. */
const MOST_FINAL_AHEAD = 100;
/** After this many answers in a row without a final block, the tag counts as unknown. */
const DOUBTS_TO_UNKNOWN = 2;

type Final = ShownBlock | null | 'unknown_tag';

interface KeptFinal {
  readonly value: Final;
  readonly atMs: number;
  /** How far the final block lay behind the head. */
  readonly lag: number;
}

/** The newest head and final block of one RPC, cached and shared by inspections. */
export class NodeHeads {
  private latest: { readonly value: ShownBlock; readonly atMs: number } | null = null;
  private finalized: KeptFinal | null = null;
  private finalKnownAt = -Infinity;
  private doubts = 0;

  constructor(
    private readonly ask: Rpc['ask'],
    private readonly needed: number,
    private readonly clock: Clock,
    private readonly timers: Timers,
    /** Called once if the RPC names no final block. */
    private readonly onUnknownTag: () => void,
  ) {}

  /** Reads the head, and asks a question in the same request. The head has the cached final block. */
  async withHead<T>(question: Question<T>): Promise<{ readonly head: ChainHead; readonly answer: T }> {
    const stale = [
      ...(this.isLatestStale() ? [LATEST] : []),
      ...(this.finalized === null ? [FINALIZED] : []),
    ];
    const [answer, ...heads] = await this.ask(question, ...stale);
    return { head: this.keep(stale, heads), answer };
  }

  /** The head with its newest final block. */
  async read(): Promise<ChainHead> {
    const isFinalStale = this.isFinalizedStale();
    // An RPC that fails in every request shows, by also failing for the head, that the tag is not the cause.
    const isDoubted = isFinalStale && this.doubts > 0;
    const stale = [
      ...(isDoubted || this.isLatestStale() ? [LATEST] : []),
      ...(isFinalStale ? [FINALIZED] : []),
    ];
    return this.keep(stale, stale.length === 0 ? [] : await this.ask(...stale));
  }

  /** The head. Reads its final block anew if a block of this number may be final by now but is not by the cached one. */
  async headFor(number: number, head: ChainHead): Promise<ChainHead> {
    return this.mayBeFinal(number) ? this.read() : head;
  }

  private isLatestStale(): boolean {
    return this.latest === null || this.timers.nowMs() - this.latest.atMs >= LATEST_MS;
  }

  private isFinalizedStale(): boolean {
    const { finalized } = this;
    const keptMs = finalized?.value === 'unknown_tag' ? TAG_UNKNOWN_MS : FINAL_SHARED_MS;
    return finalized === null || this.timers.nowMs() - finalized.atMs >= keptMs;
  }

  /** False for a block that is nearer to the head than the last final block was: it cannot be final, and no call is needed. */
  private mayBeFinal(number: number): boolean {
    const { finalized, latest } = this;
    if (finalized === null || latest === null || finalized.value === null) return true;
    if (finalized.value === 'unknown_tag') return this.isFinalizedStale();
    return finalized.value.number < number && latest.value.number - number >= finalized.lag;
  }

  private keep(asked: readonly unknown[], answers: readonly Final[]): ChainHead {
    for (const [at, question] of asked.entries()) {
      const value = answers[at] ?? null;
      if (question === FINALIZED) this.keepFinal(value);
      else if (value !== null && value !== 'unknown_tag') this.latest = { value, atMs: this.timers.nowMs() };
    }
    return this.head();
  }

  private keepFinal(value: Final): void {
    const atMs = this.timers.nowMs();
    if (value !== null && value !== 'unknown_tag') {
      const lag = this.latest === null ? 0 : Math.max(this.latest.value.number - value.number, 0);
      this.finalized = { value, atMs, lag };
      this.finalKnownAt = atMs;
      this.doubts = 0;
      return;
    }
    this.doubts += value === null ? 1 : DOUBTS_TO_UNKNOWN;
    // An older final block only hides blocks that are final by now.
    if (this.finalized !== null && atMs - this.finalKnownAt < TAG_UNKNOWN_MS) {
      this.finalized = { ...this.finalized, atMs };
      return;
    }
    const isUnknown = this.doubts >= DOUBTS_TO_UNKNOWN;
    if (isUnknown && this.finalized?.value !== 'unknown_tag') this.onUnknownTag();
    this.finalized = { value: isUnknown ? 'unknown_tag' : null, atMs, lag: 0 };
  }

  private head(): ChainHead {
    const latest = this.latest?.value;
    const finalized = this.finalized?.value ?? null;
    if (latest === undefined) throw new RpcTrouble('rpc_error', 'has no head', LAGS_AGAIN_MS);
    const final = finalized === 'unknown_tag' ? null : finalized;
    const impossible = impossibleIn(latest, final, this.clock.now());
    if (impossible !== null) {
      this.latest = null;
      this.finalized = null;
      throw stuck(impossible);
    }
    if (finalized === 'unknown_tag') return { latest, final: Math.max(latest.number - this.needed + 1, 0) };
    // Behind a load balancer the head and the final block may come from different nodes.
    const newest = final !== null && final.number > latest.number ? final : latest;
    return { latest: newest, final: final?.number ?? null, finalLag: this.finalized?.lag ?? 0 };
  }
}

/** Null: the two can be the head and the final block of one chain. */
function impossibleIn(latest: ShownBlock, final: ShownBlock | null, now: Date): string | null {
  const aheadMs = latest.at.getTime() - now.getTime();
  // No chain has made a block in each millisecond since 1970.
  if (aheadMs > MOST_AHEAD_MS || latest.number > now.getTime())
    return `has a head that cannot be: block ${latest.number} of ${latest.at.toISOString()}`;
  if (final !== null && final.number > latest.number + MOST_FINAL_AHEAD)
    return `names block ${final.number} as final, above its head ${latest.number}`;
  return null;
}
