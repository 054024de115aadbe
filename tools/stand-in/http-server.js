// @ts-check
/** The HTTP of the stand-in: reads requests, writes answers, and breaks them by the set faults. */
import { createServer } from 'node:http';

/** @typedef {{ status: number, body: unknown, headers?: Record<string, string> }} Answer */
/** @typedef {import('./faults.js').Fault} Fault */
/** @typedef {import('./faults.js').Planned} Planned */
/**
 * The answers of faults; other faults break the answer itself. @typedef {Readonly<Partial<Record<Fault, Answer>>>}
 * FaultAnswers
 */
/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */
/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path without its query
 * @property {Readonly<Record<string, string>>} query
 * @property {unknown} body JSON, null without one
 * @property {string | null} apiKey
 * @property {Date} at
 */
/** @typedef {(call: Call) => { answer: Answer, fault: Planned | null }} Respond */

const MOST_BODY_BYTES = 1_048_576;

export class StandInServer {
  /** @type {Set<NodeJS.Timeout>} */
  #delays = new Set();
  #server;
  #port = 0;
  #faultAnswers;

  constructor(
    /** @type {Respond} */ respond,
    /** @type {() => Date} */ now,
    /** @type {FaultAnswers} */ faultAnswers,
  ) {
    this.#faultAnswers = faultAnswers;
    this.#server = createServer((request, response) => {
      this.#handle(request, response, respond, now).catch((/** @type {unknown} */ error) => {
        // The test that met a fault of the stand-in itself must see the fault.
        send(response, { status: 500, body: { message: `The stand-in failed: ${String(error)}` } });
      });
    });
  }

  /** Listens on a free port of this machine, after `close` on the same port; returns the URL. */
  async open() {
    await new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', () => resolve(undefined)));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The stand-in got no port.');
    this.#port = address.port;
    return `http://127.0.0.1:${address.port}`;
  }

  /** Refuses connections from now on, and breaks the open ones. */
  async close() {
    if (!this.#server.listening) return;
    for (const delay of this.#delays) clearTimeout(delay);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(
    /** @type {IncomingMessage} */ request,
    /** @type {ServerResponse} */ response,
    /** @type {Respond} */ respond,
    /** @type {() => Date} */ now,
  ) {
    const text = await readText(request);
    if (text === null) return;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    const { 'x-api-key': header, authorization } = request.headers;
    const key = header ?? authorization?.replace(/^Bearer /i, '');
    const { answer, fault } = respond({
      method: request.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: readJson(text),
      apiKey: typeof key === 'string' && key !== '' ? key : null,
      at: now(),
    });
    this.#write(request, response, answer, fault);
  }

  #write(
    /** @type {IncomingMessage} */ request,
    /** @type {ServerResponse} */ response,
    /** @type {Answer} */ answer,
    /** @type {Planned | null} */ fault,
  ) {
    const planned = fault === null ? undefined : this.#faultAnswers[fault.kind];
    if (fault?.kind === 'reset') request.socket.resetAndDestroy();
    else if (fault?.kind === 'truncated') truncate(response, answer);
    else if (fault?.kind === 'slow') this.#later(() => send(response, answer), fault.delayMs);
    // `hang` gets no answer until the stand-in closes.
    else if (fault?.kind !== 'hang') send(response, planned ?? answer);
  }

  #later(/** @type {() => void} */ write, /** @type {number} */ delayMs) {
    const delay = setTimeout(() => {
      this.#delays.delete(delay);
      write();
    }, delayMs);
    this.#delays.add(delay);
  }
}

function send(/** @type {ServerResponse} */ response, /** @type {Answer} */ answer) {
  const { status, headers } = answer;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(textOf(answer));
}

/** Sends half of the answer under the length of the whole, and then nothing. */
function truncate(/** @type {ServerResponse} */ response, /** @type {Answer} */ answer) {
  const body = Buffer.from(textOf(answer));
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': body.byteLength,
  });
  response.write(body.subarray(0, body.byteLength / 2), () => response.destroy());
}

function textOf(/** @type {Answer} */ { body }) {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Null for a request that broke off or is too long. */
async function readText(/** @type {IncomingMessage} */ request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  try {
    for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (request)) {
      bytes += chunk.byteLength;
      if (bytes > MOST_BODY_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @returns {unknown} */
function readJson(/** @type {string} */ text) {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
