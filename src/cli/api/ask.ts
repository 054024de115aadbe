import type { Session } from './session.ts';

/** Does work with a running Paybell; loads the code for it only now. */
export async function ask(work: (session: Session) => Promise<void>): Promise<void> {
  const { openSession } = await import('./session.ts');
  await work(openSession());
}
