import type { Cleanup } from './global-setup.ts';

/** Ends what global setup started. */
export default async function globalTeardown(): Promise<void> {
  const { paybellCleanup = [] } = globalThis as { paybellCleanup?: Cleanup[] };
  for (const step of paybellCleanup.splice(0)) await step();
}
