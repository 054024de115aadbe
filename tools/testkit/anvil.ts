import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

interface Contract {
  readonly bytecode: string;
  readonly methods: Readonly<Record<string, string>>;
}

/** This file may be in tools/ or, compiled, in build/tools/. */
const FOLDER = import.meta.url.replace(/(?:build\/)?tools\/testkit\/[^/]*$/, 'tools/testkit/contracts/');
const CONTRACTS = JSON.parse(readFileSync(new URL('payouts.json', FOLDER), 'utf8')) as Readonly<
  Record<string, Contract>
>;
const GAS = '0x1e8480';
const MINED_EVERY_MS = 20;
const MINED_WITHIN_MS = 30_000;

export type ContractName = 'Token' | 'FeeToken' | 'Collectible' | 'MultiSend' | 'Forwarder';

export interface Mined {
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
}

export interface Sent {
  readonly to?: string;
  readonly data?: string;
  readonly value?: bigint;
}

/** A real EVM node, which mines a block for each transaction unless a flag says otherwise. */
export class Anvil {
  private ids = 0;
  private submitting = Promise.resolve('');

  private constructor(
    readonly url: string,
    readonly sender: string,
    private readonly child: ChildProcess,
  ) {}

  /** `path`: the program that machine-tools.js found. */
  static async start(path: string, chainId = 8453, flags: readonly string[] = []): Promise<Anvil> {
    const child = spawn(path, ['--port', '0', '--chain-id', String(chainId), ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.once('exit', () => child.kill());
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /^Listening on (.*)$/.exec(line)?.[1];
      if (address === undefined) continue;
      child.stdout.resume();
      const url = `http://${address}`;
      const [sender = ''] = (await callRpc(url, 'eth_accounts', [])) as string[];
      return new Anvil(url, sender, child);
    }
    throw new Error('anvil ended before it listened');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }

  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return callRpc(this.url, method, params, (this.ids += 1)) as Promise<T>;
  }

  async deploy(name: ContractName): Promise<string> {
    const { txHash } = await this.send({ data: contract(name).bytecode });
    const receipt = await this.call<{ contractAddress: string }>('eth_getTransactionReceipt', txHash);
    return receipt.contractAddress;
  }

  /** The gas is given, so that a failing transaction is mined too. */
  async send({ to, data = '0x', value = 0n }: Sent): Promise<Mined> {
    const plain = data === '0x' && to !== undefined;
    const transaction = {
      from: this.sender,
      to,
      data,
      value: `0x${value.toString(16)}`,
      ...(plain ? {} : { gas: GAS }),
    };
    // Sends one after another: two concurrent transactions may get the same nonce.
    const submitted = this.submitting.then(() => this.call<string>('eth_sendTransaction', transaction));
    this.submitting = submitted.catch(() => '');
    return this.mined(await submitted);
  }

  transfer(token: string, to: string, amount: bigint, name: ContractName = 'Token'): Promise<Mined> {
    return this.send({ to: token, data: callData(name, 'transfer', [to, amount]) });
  }

  /** Makes a contract with this code. */
  async setCode(address: string, code: string): Promise<void> {
    await this.call('anvil_setCode', address, code);
  }

  /** Mines blocks that are a second apart by the chain's time. */
  async mine(blocks: number): Promise<void> {
    await this.call('anvil_mine', `0x${blocks.toString(16)}`, '0x1');
  }

  /** Mines all transactions of `send` in one block. */
  async inOneBlock(send: () => readonly Promise<Mined>[]): Promise<Mined[]> {
    await this.call('evm_setAutomine', false);
    const sent = send();
    while (Number((await this.call<{ pending: string }>('txpool_status')).pending) < sent.length);
    await this.call('evm_setAutomine', true);
    await this.mine(1);
    return Promise.all(sent);
  }

  async head(): Promise<{ number: number; at: Date }> {
    const { number, timestamp } = await this.call<Record<'number' | 'timestamp', string>>(
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    return { number: Number(number), at: new Date(Number(timestamp) * 1_000) };
  }

  private async mined(txHash: string): Promise<Mined> {
    const until = Date.now() + MINED_WITHIN_MS;
    for (;;) {
      const receipt = await this.call<Record<'blockNumber' | 'blockHash' | 'status', string> | null>(
        'eth_getTransactionReceipt',
        txHash,
      );
      if (receipt === null) {
        if (Date.now() > until) throw new Error(`${txHash} is not mined`);
        await sleep(MINED_EVERY_MS);
        continue;
      }
      const { blockNumber, blockHash, status } = receipt;
      return { txHash, blockNumber: Number(blockNumber), blockHash, succeeded: status === '0x1' };
    }
  }
}

/** The data of a call. These contracts take only numbers, addresses and arrays of them. */
export function callData(
  name: ContractName,
  method: string,
  values: readonly (string | bigint | readonly (string | bigint)[])[],
): string {
  const { methods } = contract(name);
  const selector = Object.entries(methods).find(([signature]) => signature.startsWith(`${method}(`))?.[1];
  if (selector === undefined) throw new Error(`${name} has no method ${method}`);
  const heads: string[] = [];
  const tails: string[] = [];
  let offset = values.length * 32;
  for (const value of values) {
    if (typeof value === 'string' || typeof value === 'bigint') heads.push(word(value));
    else {
      heads.push(word(BigInt(offset)));
      tails.push(word(BigInt(value.length)), ...value.map(word));
      offset += (value.length + 1) * 32;
    }
  }
  return `0x${selector}${[...heads, ...tails].join('')}`;
}

function word(value: string | bigint): string {
  return (typeof value === 'string' ? BigInt(value) : value).toString(16).padStart(64, '0');
}

function contract(name: ContractName): Contract {
  const found = CONTRACTS[name];
  if (found === undefined) throw new Error(`payouts.json has no ${name}`);
  return found;
}

async function callRpc(url: string, method: string, params: readonly unknown[], id = 0): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
