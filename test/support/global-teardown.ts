import type { Undo } from './global-setup.ts';

/** Ends what global setup started. */
export default async function globalTeardown(): Promise<void> {
  const { paybellUndo = [] } = globalThis as { paybellUndo?: Undo[] };
  for (const step of paybellUndo.splice(0)) await step();
}
