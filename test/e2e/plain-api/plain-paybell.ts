import type { SharedService } from '../../support/shared-process.ts';
import { Stage } from '../../support/stage.ts';

interface PlainPaybell {
  readonly stage: Stage;
  readonly app: SharedService;
}

let opened: Promise<PlainPaybell> | undefined;
let closed: Promise<PlainPaybell> | undefined;

/** One running Paybell with the usual settings, for suites that ask its API without disturbing each other. */
export function plainPaybell(): Promise<PlainPaybell> {
  opened ??= open();
  return opened;
}

/** A second Paybell on its own stage, which polls once an hour and shows neither metrics, documentation nor pages. */
export function closedPaybell(): Promise<PlainPaybell> {
  closed ??= openClosed();
  return closed;
}

async function openClosed(): Promise<PlainPaybell> {
  const stage = await Stage.open();
  const app = await stage.startWarm({
    POLL_INTERVAL_MS: '3600000',
    METRICS: 'off',
    DOCS: 'off',
    DASHBOARD: 'false',
  });
  return { stage, app };
}

async function open(): Promise<PlainPaybell> {
  const stage = await Stage.open();
  const app = await stage.startWarm();
  return { stage, app };
}
