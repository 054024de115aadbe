/** An OpenTelemetry collector in a process of its own: takes OTLP over HTTP in protobuf, answers 200, and counts the spans. */
import { HttpReceiver } from '../../build/tools/testkit/http-receiver.js';
import { answerParent } from './child.js';

/** The numbers of the fields that lead from a request to its spans: resource_spans, scope_spans, spans. */
const PATH = [1, 2, 2];
const BYTES = 2;

let spans = 0;
const receiver = await HttpReceiver.start(
  ({ body }) => {
    spans += countAt(body, PATH);
    return { status: 200 };
  },
  { keepsRequests: false },
);

answerParent(receiver.url, () => ({ spans }));

/** How many messages there are at the end of this path of fields. All fields on it, and beside it, are varints or bytes. */
function countAt(/** @type {Buffer} */ message, /** @type {readonly number[]} */ [number, ...more]) {
  if (number === undefined) return 1;
  let count = 0;
  for (let at = 0; at < message.length;) {
    const key = varintAt(message, at);
    const value = varintAt(message, key.end);
    at = value.end;
    if ((key.value & 7) !== BYTES) continue;
    at += value.value;
    if (key.value >> 3 === number) count += countAt(message.subarray(value.end, at), more);
  }
  return count;
}

/** All that are read here fit into 28 bits. */
function varintAt(/** @type {Buffer} */ message, /** @type {number} */ start) {
  let [value, end] = [0, start];
  for (let shift = 0; ; shift += 7) {
    const byte = message.readUInt8(end++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end };
  }
}
