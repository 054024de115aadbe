import { PaybellClient } from '../demo/paybell-client.ts';
import { ProvidersPlay } from '../demo/providers-play.ts';
import type { Cleanup } from '../testkit/cleanup.ts';
import type { PaybellProcess } from '../testkit/paybell-process.ts';
import { startPaybell } from './shown-paybell.ts';

const ROUNDS = 4;

/** A Paybell with payments at the stand-ins of four providers. */
export async function startProviders(cleanup: Cleanup): Promise<PaybellProcess> {
  const play = await ProvidersPlay.open();
  cleanup.add(() => play.close());
  const paybell = await startPaybell(cleanup, play.env);
  const client = new PaybellClient(paybell.url, paybell.apiKey, new AbortController().signal);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const story of play.stories) {
      const orderId = `${story.orderId}-${round + 1}`;
      play.begin(story, await client.createQuote({ ...story, orderId }));
    }
  return paybell;
}
