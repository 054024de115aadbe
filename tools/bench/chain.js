/** The chain of the measurement `proof`: the values that its RPC and Paybell's settings share. */
export const CHAIN_ID = 8_453;
export const BLOCK_MS = 1_000;
/** Blocks that a proof waits for. */
export const CONFIRMATIONS = 5;
/** How far the newest final block is behind the head. */
export const FINAL_BLOCKS = 15;
/** The time from a quote's creation to its completion. */
export const COMPLETES_AFTER_MS = 4_000;
