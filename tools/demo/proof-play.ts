import { TOOLS } from '../testkit/machine-tools.js';
import { readToldStories, type ToldStory } from '../testkit/told-story.ts';
import { AnvilPlay } from './anvil-play.ts';
import type { Play } from './play.ts';
import { story, type Story, USDC_ON_ARBITRUM, USDC_ON_BASE, verdictOf } from './stories.ts';

/** The amount in the files of docs/using/stories. */
const AMOUNT = '25.5';
/** In the sandbox's seconds. The demo waits for no later event except the end of the patience, which is shorter here. */
const LATEST_MS = 1_000_000;
const PATIENCE_S = '600';

/** Uses a real node if one is installed, unless the sandbox is requested. */
export function openProofPlay(isSandbox: boolean): Play | Promise<Play> {
  const path = isSandbox ? null : TOOLS.anvil.find();
  return path === null ? sandboxPlay() : AnvilPlay.open(path);
}

function sandboxPlay(): Play {
  const stories = readToldStories('require').map(toStory);
  return {
    title: `${stories.length} payments on a chain that the sandbox plays, 50 times as fast; it proves nothing of real money`,
    stories,
    env: {
      PROVIDER: 'sandbox',
      SANDBOX_SPEED: '50',
      VERIFY: 'require',
      VERIFY_PATIENCE_SECONDS: PATIENCE_S,
    },
    begin: () => undefined,
    disturb: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function toStory({ name, events }: ToldStory): Story {
  const latest = Date.parse(events[0]?.time ?? '') + LATEST_MS;
  const isAwaited = ({ type, time }: (typeof events)[number]): boolean =>
    type === 'payment.stalled' || Date.parse(time) < latest;
  const awaited = events.filter(isAwaited);
  return story(name, AMOUNT, USDC_ON_BASE, USDC_ON_ARBITRUM, {
    title: name.replaceAll('_', ' '),
    end: awaited.at(-1)?.data.status ?? '',
    mustHappen: [],
    metadata: { story: name },
    told: { events, awaited: awaited.length },
    verdict: verdictOf(awaited),
  });
}
