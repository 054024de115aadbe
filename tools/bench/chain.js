/** The chain of the measurement `proof`: what its RPC, and what Paybell is told, have in common. */
export const CHAIN_ID = 8_453;
export const BLOCK_MS = 1_000;
/** Blocks that a proof waits for. */
export const CONFIRMATIONS = 5;
/** How far the newest final block is behind the head. */
export const FINAL_BLOCKS = 15;
/** How long after its creation a quote completes. */
export const COMPLETES_AFTER_MS = 4_000;
