import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { EnvReader } from './env-reader.ts';

/** AMQP's own limit on names. */
const MAX_NAME_BYTES = 255;
/** As rejectedQueueOf has it; a test compares the two. */
export const REJECTED_SUFFIX = '.rejected';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

interface Queues {
  readonly rabbitmqUrls: readonly string[] | null;
  readonly rabbitmqEventQueue: string | null;
  readonly rabbitmqTrackQueue: string | null;
}

/** Refuses invalid queue names, and one queue for both events and track messages. */
export function checkQueues(read: EnvReader, queues: Queues): void {
  const { rabbitmqUrls, rabbitmqEventQueue: events, rabbitmqTrackQueue: track } = queues;
  const isOn = rabbitmqUrls !== null || read.isRefused('RABBITMQ_URL');
  const rejected = track === null ? null : `${track}${REJECTED_SUFFIX}`;
  if (events !== null) checkQueue(read, 'RABBITMQ_EVENT_QUEUE', events, isOn, '');
  if (track !== null) checkQueue(read, 'RABBITMQ_TRACK_QUEUE', track, isOn, REJECTED_SUFFIX);
  if (events !== null && (events === track || events === rejected))
    read.refuse(
      'RABBITMQ_TRACK_QUEUE',
      'must be another queue than RABBITMQ_EVENT_QUEUE, and so must its .rejected',
    );
}

function checkQueue(read: EnvReader, variable: string, name: string, isOn: boolean, suffix: string): void {
  const most = MAX_NAME_BYTES - suffix.length;
  const bytes = Buffer.byteLength(name);
  if (bytes > most) read.refuse(variable, `has ${bytes} bytes, at most ${most}`);
  if (name.startsWith('amq.')) read.refuse(variable, 'begins with "amq.", which RabbitMQ keeps for itself');
  if (!isOn) read.refuse(variable, 'needs RABBITMQ_URL');
}

/** Reads the certificate file, and refuses it unless each certificate in it is readable; null when no file is set. */
export function readCa(read: EnvReader, path: string | null, urls: readonly string[] | null): string | null {
  if (path === null) return null;
  const isOverTls = urls?.some((url) => url.startsWith('amqps:')) === true || read.isRefused('RABBITMQ_URL');
  const text = isOverTls ? textOf(path) : null;
  const problem = isOverTls ? problemOf(text) : 'needs a RABBITMQ_URL that begins with amqps://';
  if (problem === null) return text;
  read.refuse('RABBITMQ_CA_FILE', problem);
  return null;
}

function problemOf(text: string | null): string | null {
  if (text === null) return 'names a file that can not be read';
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    return 'names a file without a certificate in PEM (-----BEGIN CERTIFICATE-----)';
  return certificates.every(isReadable) ? null : 'names a file with a certificate that can not be read';
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
