import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

const NATIVE = `0x${'0'.repeat(40)}`;
const FEE = 1_000n;
const USDC = { symbol: 'USDC', decimals: 6 };
const TOKENS: readonly Json[] = [
  { id: 'usdc-base', chain: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', ...USDC },
  { id: 'usdc-arb', chain: 42161, address: '0xaf88d065e77c8cc2239327c5edb3a432268e5831', ...USDC },
  { id: 'usdc-eth', chain: 1, address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', ...USDC },
  { id: 'eth-base', chain: 8453, address: NATIVE, symbol: 'ETH', decimals: 18 },
  { id: 'eth-arb', chain: 42161, address: NATIVE, symbol: 'ETH', decimals: 18 },
  { id: 'sol', chain: 792703809, address: NATIVE, symbol: 'SOL', decimals: 9 },
];

/** The service that the toy provider asks: its swaps move when the test says so. */
export class ToyService {
  url = '';
  readonly swaps = new Map<string, Json>();
  /** The address of the next quote; null: a new address. */
  nextAddress: string | null = null;
  private readonly server: Server;

  private constructor(private readonly apiKey: string) {
    this.server = createServer((request, response) => {
      void this.answer(request).then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  static async start(apiKey: string): Promise<ToyService> {
    const service = new ToyService(apiKey);
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    service.url = `http://127.0.0.1:${(service.server.address() as AddressInfo).port}`;
    return service;
  }

  move(address: string, change: Json): void {
    this.swaps.set(address, { ...this.swaps.get(address), at: 1_790_000_000, ...change });
  }

  pay(address: string, raw = this.swaps.get(address)?.['amount']): void {
    this.move(address, { word: 'paid', paid: raw, hash: hashOf(`paid:${address}`) });
  }

  deliver(address: string): void {
    this.move(address, { word: 'done', outHash: hashOf(`out:${address}`) });
  }

  sendBack(address: string, word = 'back'): void {
    this.move(address, { word, back: this.swaps.get(address)?.['paid'], outHash: null });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers['x-api-key'] !== this.apiKey) return [401, { message: 'Unauthorized' }];
    if (request.url === '/tokens') return [200, TOKENS];
    if (request.url !== '/swaps') return [200, this.swaps.get(request.url?.split('/').at(-1) ?? '') ?? {}];
    const { amount } = JSON.parse(Buffer.concat(chunks).toString()) as Json;
    const address = this.nextAddress ?? `0x${hashOf(randomUUID()).slice(-40)}`;
    this.nextAddress = null;
    const swap = {
      address,
      amount,
      out: String(BigInt(String(amount)) - FEE),
      word: 'waiting',
      paid: '0',
      hash: null,
      outHash: null,
      back: '0',
      at: null,
    };
    this.swaps.set(address, swap);
    return [200, swap];
  }
}

function hashOf(seed: string): string {
  return `0x${createHash('sha256').update(seed).digest('hex')}`;
}
