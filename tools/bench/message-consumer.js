/** A subscriber in its own process: takes the messages of the queue, checks their order, and measures their latency. */
import { connect } from 'amqplib';

import { answerParent } from './child.js';
import { changedAtNsIn } from './reports.js';

let fresh = 0;
let duplicates = 0;
/** Events whose first arrival came after a later event of their payment. */
let overtaken = 0;
/** Milliseconds from the provider's answer to here, since last asked. @type {number[]} */
let latencies = [];
/** A bit for each received sequence number of a payment. @type {Map<string, number>} */
const seen = new Map();

function note(/** @type {import('amqplib').ConsumeMessage} */ message, /** @type {bigint} */ now) {
  const { quote_id: quoteId, sequence } = message.properties.headers ?? {};
  const before = seen.get(quoteId) ?? 0;
  const bit = 1 << sequence;
  if ((before & bit) !== 0) {
    duplicates += 1;
    return;
  }
  fresh += 1;
  if (before > bit) overtaken += 1;
  seen.set(quoteId, before | bit);
  const changedAt = changedAtNsIn(message.content.toString());
  if (changedAt !== null) latencies.push(Number(now - changedAt) / 1e6);
}

async function consume(/** @type {string} */ url, /** @type {string} */ queue) {
  const model = await connect(url);
  model.on('error', () => undefined);
  const channel = await model.createChannel();
  await channel.consume(queue, (message) => message !== null && note(message, process.hrtime.bigint()), {
    noAck: true,
  });
}

/** @typedef {{ url?: string, queue?: string }} Asked */
answerParent('', async (/** @type {Asked} */ { url, queue }) => {
  if (url !== undefined && queue !== undefined) await consume(url, queue);
  const answer = { fresh, duplicates, overtaken, latencies };
  latencies = [];
  return answer;
});
