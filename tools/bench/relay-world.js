/** Relay's stand-in and the merchant's webhook endpoint in one process: both ends of a payment by one clock. */
import { HttpReceiver } from '../../build/tools/testkit/http-receiver.js';
import { RelayStandIn } from '../relay-stand-in/relay-stand-in.js';
import { answerParent } from './child.js';

const API_KEY = 'bench-relay-key';
/** The benchmark may request quotes at any rate; reads have Relay's own limits. */
const LIMITS = { quote: Infinity, requests: 200, other: 200 };

const relay = await RelayStandIn.start({ apiKey: API_KEY, limits: LIMITS });
const DELIVERED_AFTER_MS = 3_000;
/** When each address was paid. @type {Map<string, number>} */
const paidAt = new Map();
/** Milliseconds from the deposit to the first webhook about it. @type {number[]} */
let delays = [];
/** @type {string[]} */
let unpaid = [];
/** @type {NodeJS.Timeout | null} */
let payer = null;

function note(/** @type {string} */ body) {
  const { data } = JSON.parse(body);
  const address = data.payment?.depositAddress;
  const at = paidAt.get(address);
  if (at === undefined || data.payment.deposit === null) return;
  paidAt.delete(address);
  delays.push(performance.now() - at);
}

function payNext() {
  const address = unpaid.pop();
  if (address === undefined) return;
  paidAt.set(address, performance.now());
  relay.lives.deposit(address);
  setTimeout(() => relay.lives.settle(address), DELIVERED_AFTER_MS);
}

const shop = await HttpReceiver.start(
  ({ text }) => {
    note(text);
    return { status: 204 };
  },
  { keepsRequests: false },
);

/** `{ unpaid }`: the addresses to pay; `{ payEveryMs }`: pays one after another from now on, 0: stops. */
answerParent(shop.url, (asked) => {
  if (asked.unpaid !== undefined) unpaid = asked.unpaid;
  if (asked.payEveryMs !== undefined) {
    if (payer !== null) clearInterval(payer);
    payer = asked.payEveryMs === 0 ? null : setInterval(payNext, asked.payEveryMs);
  }
  const published = delays;
  if (asked.payEveryMs !== undefined) delays = [];
  const reads = relay.requests.filter(({ path }) => path === '/requests/v3').length;
  return {
    relayUrl: relay.url,
    apiKey: API_KEY,
    delays: published,
    missing: paidAt.size,
    reads,
    tooMany: relay.tooMany,
  };
});
