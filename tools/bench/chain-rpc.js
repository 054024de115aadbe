/** The JSON-RPC of a chain in its own process: each requested transaction pays the stub provider's recipient. */
import { HttpReceiver } from '../../build/tools/testkit/http-receiver.js';
import { quoteRequest } from '../../build/tools/testkit/provider-objects.js';
import { answerParent } from './child.js';
import { BLOCK_MS, CHAIN_ID, FINAL_BLOCKS } from './chain.js';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** The estimate in the stub provider's quotes, in units of USDC. */
const PAID = 124_850_000n;
const FIRST_BLOCK = 1_000;
const { toToken, recipient } = quoteRequest();
const startedAt = Date.now();
/** Where each transaction is. @type {Map<string, number>} */
const blocks = new Map();
let calls = 0;

const hex = (/** @type {number | bigint} */ number) => `0x${number.toString(16)}`;
const word = (/** @type {number | bigint | string} */ value) =>
  `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const head = () => FIRST_BLOCK + Math.floor((Date.now() - startedAt) / BLOCK_MS);

/** @param {number} number */
function blockAt(number) {
  const seconds = Math.floor((startedAt + (number - FIRST_BLOCK) * BLOCK_MS) / 1_000);
  return { number: hex(number), hash: word(number), timestamp: hex(seconds) };
}

/** @param {string} transactionHash */
function receiptOf(transactionHash) {
  const number = blocks.get(transactionHash) ?? head();
  blocks.set(transactionHash, number);
  const place = { blockHash: word(number), blockNumber: hex(number), transactionHash };
  const topics = [TRANSFER, word(1), word(recipient)];
  const log = { ...place, address: toToken, topics, data: word(PAID), logIndex: '0x0', removed: false };
  return { ...place, status: '0x1', gasUsed: '0xc350', logs: [log] };
}

/** @param {{ method: string, params: any[] }} call */
function resultOf({ method, params: [first] }) {
  calls += 1;
  if (method === 'eth_chainId') return hex(CHAIN_ID);
  if (method === 'eth_getTransactionReceipt') return receiptOf(first);
  if (method !== 'eth_getBlockByNumber') throw new Error(`the bench has no ${method}`);
  if (first === 'latest') return blockAt(head());
  return blockAt(first === 'finalized' ? head() - FINAL_BLOCKS : Number(first));
}

const rpc = await HttpReceiver.start(
  ({ text }) => {
    const asked = JSON.parse(text);
    const replies = [asked].flat().map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call) }));
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(Array.isArray(asked) ? replies : replies[0]) };
  },
  { keepsRequests: false },
);

answerParent(rpc.url, () => ({ calls, transactions: blocks.size }));
