/** A merchant's webhook endpoint in its own process: acknowledges at once, and measures the latency of each change. */
import { HttpReceiver } from '../../build/tools/testkit/http-receiver.js';
import { answerParent } from './child.js';
import { changedAtNsIn } from './reports.js';

let received = 0;
const events = new Set();
/** @type {number[]} Milliseconds from the provider's answer to here, since last asked. */
let latencies = [];

const receiver = await HttpReceiver.start(
  ({ headers, text, headAtNs }) => {
    received += 1;
    events.add(String(headers['webhook-id']));
    const changedAt = changedAtNsIn(text);
    if (changedAt !== null) latencies.push(Number(headAtNs - changedAt) / 1e6);
    return { status: 204 };
  },
  { keepsRequests: false },
);

answerParent(receiver.url, () => {
  const answer = { received, distinct: events.size, latencies };
  latencies = [];
  return answer;
});
