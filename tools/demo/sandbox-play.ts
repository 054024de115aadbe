import type { Play } from './play.ts';
import { STORIES } from './stories.ts';

/** Six payments at the sandbox, which plays their stories by itself. */
export const SANDBOX_PLAY: Play = {
  title: 'six payments at the sandbox provider, whose time runs 20 times as fast',
  stories: STORIES,
  env: {
    PROVIDER: 'sandbox',
    SANDBOX_SPEED: '20',
    // Often enough to see each status: between a deposit and its execution lie 5 s of the sandbox, which divides its times
    // by SANDBOX_SPEED, and polls as much faster.
    POLL_INTERVAL_MS: '4000',
    POLL_MIN_GAP_MS: '3000',
  },
  begin: () => undefined,
  disturb: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
