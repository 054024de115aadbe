import type { Play } from './play.ts';
import { STORIES } from './stories.ts';

/** Six payments at the sandbox, which plays their stories by itself. */
export const SANDBOX_PLAY: Play = {
  title: 'six payments at the sandbox provider, whose time runs 20 times as fast',
  stories: STORIES,
  env: {
    PROVIDER: 'sandbox',
    SANDBOX_SPEED: '20',
    // The interval is short enough to see each status: 5 s lie between a deposit and its execution. SANDBOX_SPEED divides the
    // sandbox's times and the intervals alike.
    POLL_INTERVAL_MS: '4000',
    POLL_MIN_GAP_MS: '3000',
  },
  begin: () => undefined,
  disturb: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
