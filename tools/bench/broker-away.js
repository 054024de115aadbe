/** 100,000 events pile up while RabbitMQ is away, recorded by the process that is measured; then it comes back. */
import { Child } from './child.js';
import { median, shown } from './figures.js';
import { consume, untilPublished } from './messages.js';
import { pause } from './pause.js';
import { figuresOfMemory, memoryOver } from './resident.js';
import { onScene } from './scene.js';

const EVENTS = 100_000;
const CHANGES_PER_S = 700;
const CHANGES_EACH = 3;
const INTERVAL_MS = 30_000;
const SETTINGS = { POLL_INTERVAL_MS: String(INTERVAL_MS) };
/** With the broker there: the heap has to grow to what this rate needs, and is measured at the end of it. */
const WARM_UP_MS = 90_000;
const BEFORE_MS = 30_000;
const POLL_EVERY_MS = 5_000;
/** Longer than this the machine can't hold the rate. */
const PILED_WITHIN_MS = 360_000;
/** More than can change until then. */
const PAYMENTS = Math.ceil((EVENTS + 1.5 * (WARM_UP_MS / 1_000) * CHANGES_PER_S) / CHANGES_EACH);

/** How long all of it may take. */
export const AWAY_WITHIN_MS = WARM_UP_MS + PILED_WITHIN_MS + 180_000;

/** @param {import('./scene.js').Place} place */
export async function measureBrokerAway(place) {
  const { broker } = place;
  if (broker === null) return [];
  const proxy = await Child.start('./broker-proxy.js');
  try {
    const { url } = await proxy.ask({ url: broker.url });
    return await onScene(place, { ...SETTINGS, RABBITMQ_URL: url }, (scene) => pileUp(scene, broker, proxy));
  } finally {
    await proxy.stop();
  }
}

/** @param {import('./scene.js').Scene} scene @param {import('./broker.js').Broker} broker @param {Child} proxy */
async function pileUp({ provider, database, paybell }, broker, proxy) {
  await database.addPayments(PAYMENTS, INTERVAL_MS);
  await provider.ask({ changesPerS: CHANGES_PER_S });
  await pause(WARM_UP_MS - BEFORE_MS);
  const before = await memoryOver(paybell, BEFORE_MS);
  await proxy.ask({ isCut: true });
  const first = (await provider.ask()).changes;
  const memory = [];
  const giveUpAt = performance.now() + PILED_WITHIN_MS;
  let piled = 0;
  while (piled < EVENTS) {
    if (performance.now() > giveUpAt) throw new Error(`only ${piled} events piled up`);
    memory.push(...(await memoryOver(paybell, POLL_EVERY_MS)));
    piled = (await provider.ask()).changes - first;
  }
  await provider.ask({ changesPerS: 0 });
  const { changes } = await provider.ask();
  await proxy.ask({ isCut: false });
  const back = await untilPublished(broker, changes);
  const consumed = await consume(broker);
  return [
    ...figuresOfMemory(`memory while RabbitMQ is away and ${shown(piled)} events pile up`, memory),
    { figure: '… median before', value: median(before), unit: 'MB' },
    { figure: '… messages a second when it is back, fastest 2 s', value: Math.max(...back.rates) },
    { figure: '… lost', value: changes - consumed.fresh, most: 0 },
    { figure: '… out of order', value: consumed.overtaken, most: 0 },
    { figure: '… sent twice', value: consumed.duplicates },
  ];
}
