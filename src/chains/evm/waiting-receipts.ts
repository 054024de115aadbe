import type { ShownReceipt } from '../../domain/proof/shown.ts';
import type { Timers } from '../../ports/timers.ts';

const KEPT_MS = 300_000;
const MOST = 1_000;

interface Kept {
  readonly receipt: ShownReceipt;
  readonly atMs: number;
}

/** Receipts whose blocks were too young when an RPC returned them. */
export class WaitingReceipts {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly timers: Timers) {}

  add(receipt: ShownReceipt): void {
    this.kept.delete(receipt.txHash);
    this.kept.set(receipt.txHash, { receipt: { ...receipt, logged: '' }, atMs: this.timers.nowMs() });
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST && oldest !== undefined) this.kept.delete(oldest);
  }

  /** Null: there is none, or it is too old. */
  find(txHash: string): ShownReceipt | null {
    const kept = this.kept.get(txHash);
    return kept === undefined || this.timers.nowMs() - kept.atMs >= KEPT_MS ? null : kept.receipt;
  }
}
