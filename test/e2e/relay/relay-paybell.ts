import type { SharedService } from '../../support/shared-process.ts';
import { RelayStage } from '../../support/relay-stage.ts';

/** Whom Relay pays nothing. */
export const SANCTIONED = `0x${'bad0'.repeat(10)}`;

let stage: Promise<RelayStage> | undefined;
let running: Promise<SharedService> | undefined;

/** One database, shop and Relay without limits, for all that need no settings of their own. */
export function sharedStage(): Promise<RelayStage> {
  stage ??= RelayStage.open({ sanctionedWallets: [SANCTIONED] });
  return stage;
}

/** The Paybell that runs there, with the shop's endpoint: started by the first that asks for it. */
export async function relayPaybell(): Promise<{ stage: RelayStage; app: SharedService }> {
  const opened = await sharedStage();
  running ??= startWithShop(opened);
  return { stage: opened, app: await running };
}

/** Another one in its place, after a crash. */
export async function startAgain(): Promise<SharedService> {
  running = (await sharedStage()).startWarm();
  return running;
}

async function startWithShop(opened: RelayStage): Promise<SharedService> {
  const app = await opened.startWarm();
  await opened.addShop(app);
  return app;
}
