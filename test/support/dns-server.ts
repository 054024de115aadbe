import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

import ipaddr from 'ipaddr.js';

/** One record of an answer; `value` is an address or, of a CNAME, the name it points to. */
export interface DnsRecord {
  readonly name?: string;
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly value: string;
  readonly ttl?: number;
}

interface DnsAnswer {
  readonly records?: readonly DnsRecord[];
  readonly code?: number;
  readonly afterMs?: number;
}

/** Answers the nth question for a name and a type (counted from 1); null: never. */
type Zone = (name: string, type: 'A' | 'AAAA', nth: number) => DnsAnswer | null;

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const CLASS_IN = Buffer.from([0, 1]);
const HEADER_BYTES = 12;
export const SERVFAIL = 2;
export const NXDOMAIN = 3;

/** A name server on a loopback UDP port that answers as scripted, and a resolver that asks only it. */
export class DnsServer {
  readonly asked: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly resolver = new Resolver({ timeout: 2_000, tries: 2 });

  private constructor(
    private readonly socket: Socket,
    private readonly zone: Zone,
  ) {
    this.resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    socket.on('message', (question, from) => this.answer(question, from));
  }

  static async start(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket, zone);
  }

  /** All addresses of a name; fails only when it has neither kind. */
  readonly resolve = async (hostname: string): Promise<LookupAddress[]> => {
    const [v4, v6] = await Promise.allSettled([
      this.resolver.resolve4(hostname),
      this.resolver.resolve6(hostname),
    ]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const found = (of: PromiseSettledResult<string[]>, family: number): LookupAddress[] =>
      of.status === 'fulfilled' ? of.value.map((address) => ({ address, family })) : [];
    return [...found(v4, 4), ...found(v6, 6)];
  };

  async close(): Promise<void> {
    this.resolver.cancel();
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private answer(question: Buffer, from: RemoteInfo): void {
    const { name, end } = readName(question);
    const type = question.readUInt16BE(end) === TYPES.A ? 'A' : 'AAAA';
    const key = `${type} ${name}`;
    const nth = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, nth);
    this.asked.push(key);
    const answer = this.zone(name, type, nth);
    if (answer === null) return;
    const bytes = answerTo(question.subarray(0, end + 4), name, answer);
    const send = (): void => this.socket.send(bytes, from.port, from.address, () => undefined);
    if (answer.afterMs === undefined) send();
    else setTimeout(() => this.isOpen() && send(), answer.afterMs);
  }

  private isOpen(): boolean {
    try {
      return this.socket.address().port > 0;
    } catch {
      return false;
    }
  }
}

function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(question: Buffer, asked: string, { records = [], code = 0 }: DnsAnswer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  // An answer, recursion asked for and available.
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([
    header,
    question.subarray(HEADER_BYTES),
    ...records.map((each) => recordBytes(asked, each)),
  ]);
}

function recordBytes(asked: string, { name = asked, type, value, ttl = 0 }: DnsRecord): Buffer {
  const data = type === 'CNAME' ? nameBytes(value) : addressBytes(value);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  CLASS_IN.copy(fixed, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  return Buffer.from(ipaddr.parse(address).toByteArray());
}
