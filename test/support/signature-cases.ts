import { randomUUID } from 'node:crypto';

import { signedHeaders } from '../../src/destinations/webhook/webhook-sender.ts';
import { newSigningKey } from '../../src/features/webhook-endpoints/new-signing-key.ts';

type Headers = Record<string, string>;

export interface SignatureCase {
  readonly name: string;
  readonly headers: Headers;
  readonly body: string;
  readonly isGenuine: boolean;
}

const BODY = `{"id":"019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d","type":"webhook.test","data":{"text":"Ä-1 💶","amount":0.1000000000000000055}}`;

/** Requests, each signed now, that a receiver with this secret must accept or refuse. */
export function signatureCases(secret: string): SignatureCase[] {
  const eventId = randomUUID();
  const other = newSigningKey('v1').secret;
  const signed = (secrets: string[], at = Date.now()): Headers =>
    signedHeaders(eventId, BODY, secrets, new Date(at));
  const headers = signed([secret]);
  const signature = headers['webhook-signature'] ?? '';
  const signedAs = (value: string): Headers => ({ ...headers, 'webhook-signature': value });
  const refused: [name: string, headers: Headers, body?: string][] = [
    ['a changed body', headers, BODY.replace('Ä-1', 'Ä-2')],
    ['a body that was printed anew', headers, JSON.stringify(JSON.parse(BODY))],
    ['another id', { ...headers, 'webhook-id': randomUUID() }],
    ['another secret', signed([other])],
    ['ten minutes ago', signed([secret], Date.now() - 600_000)],
    ['in ten minutes', signed([secret], Date.now() + 600_000)],
    ['no headers', {}],
    ['no signature', signedAs('')],
    ['a signature without its version', signedAs(signature.slice(3))],
    ['a signature of another version', signedAs(signature.replace('v1,', 'v1a,'))],
    ['a signature that is cut off', signedAs(signature.slice(0, -4))],
    ['an empty signature', signedAs('v1,')],
    ['signatures with commas between', signedAs(`v1,abc,${signature}`)],
    ['a time that is none', { ...headers, 'webhook-timestamp': 'now' }],
    ['a time of many digits', { ...headers, 'webhook-timestamp': '9'.repeat(5_000) }],
  ];
  const accepted: [name: string, headers: Headers, body?: string][] = [
    ['signed with the secret', headers],
    ['signed with two secrets', signed([other, secret])],
    ['with signatures of other versions beside', signedAs(`v1a,abc v2,xyz ${signature}`)],
    ['a minute ago', signed([secret], Date.now() - 60_000)],
  ];
  return [...accepted, ...refused].map(([name, sent, body = BODY], index) => ({
    name,
    headers: Object.fromEntries(Object.entries(sent).filter(([key]) => key.startsWith('webhook-'))),
    body,
    isGenuine: index < accepted.length,
  }));
}
