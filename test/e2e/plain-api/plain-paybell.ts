import type { AppProcess } from '../../support/app-process.ts';
import { Stage } from '../../support/stage.ts';

export const OTHER_KEY = 'other-key-0123456789abcdef';

interface PlainPaybell {
  readonly stage: Stage;
  readonly app: AppProcess;
}

let opened: Promise<PlainPaybell> | undefined;

/** One running Paybell with the usual settings and two API keys, for all that ask its API without disturbing the others. */
export function plainPaybell(): Promise<PlainPaybell> {
  opened ??= open();
  return opened;
}

async function open(): Promise<PlainPaybell> {
  const stage = await Stage.open();
  const app = await stage.start({ API_KEYS: `test:test-key-0123456789abcdef,other:${OTHER_KEY}` });
  return { stage, app };
}
