/** A shop in its own process, which measures how long a completion waits for its proof. */
import { HttpReceiver } from '../../build/tools/testkit/http-receiver.js';
import { answerParent } from './child.js';

/** When each payment completed, by `process.hrtime`. @type {Map<string, bigint>} */
const completedAt = new Map();
/** @type {number[]} Milliseconds. */
const waits = [];

const receiver = await HttpReceiver.start(
  ({ json, headAtNs }) => {
    const { type, subject } = /** @type {{ type: string, subject: string }} */ (json);
    if (type === 'payment.completed') completedAt.set(subject, headAtNs);
    const from = completedAt.get(subject);
    if (type === 'payment.verified' && from !== undefined) waits.push(Number(headAtNs - from) / 1e6);
    return { status: 204 };
  },
  { keepsRequests: false },
);

answerParent(receiver.url, () => ({ completed: completedAt.size, waits }));
