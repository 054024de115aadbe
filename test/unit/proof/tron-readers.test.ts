import { describe, expect, it } from '@jest/globals';

import { limitIn, translate } from '../../../src/chains/tvm/java-tron.ts';
import { tronAddress } from '../../../src/domain/chains/tron-address.ts';
import { readBlockNumber, readTransaction } from '../../../src/chains/tvm/tron-transaction.ts';
import { Wallet } from '../../../src/chains/tvm/wallet.ts';
import type { HttpCall, RpcConnection } from '../../../src/chains/rpc/rpc-connection.ts';
import { NATIVE_ADDRESSES } from '../../../src/domain/chains/native-addresses.ts';
import { tokenOf } from '../../../src/domain/payment/promised-output.ts';

const USDT = `0xa614f803b6fd780986a42c78ec9c7f77e6ded13c`;
const ID = 'ab'.repeat(32);

describe('an address of Tron', () => {
  it.each<[string, string | null]>([
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', USDT],
    ['41a614f803b6fd780986a42c78ec9c7f77e6ded13c', USDT],
    ['0x41A614F803b6fd780986a42c78ec9c7f77e6ded13c', USDT],
    [USDT, USDT],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', null],
    ['tr7nhqjekqxgtci8q8zy4pl8otszgjlj6t', null],
    ['42a614f803b6fd780986a42c78ec9c7f77e6ded13c', null],
    ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT', null],
    [`T${'z'.repeat(33)}`, null],
    [`T${'1'.repeat(33)}`, null],
  ])('is read from %s as %j', (text, hex) => {
    expect(tronAddress(text)).toBe(hex);
  });
});

it.each([...NATIVE_ADDRESSES.values(), `0x${'E'.repeat(40)}`, 'BC1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQMQL8K8'])(
  'the native coin is %s',
  (address) => {
    expect(tokenOf(address)).toBeNull();
  },
);

it.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'T9YD14NJ9J7XAB4DBGEIX9H8UNKKHXUWWB', USDT])(
  'the native coin is not %s',
  (address) => {
    expect(tokenOf(address)).toBe(address);
  },
);

describe('the text of a transaction', () => {
  const contract = (amount: string, type = 'TransferContract'): string =>
    `{"parameter":{"value":{"amount":${amount},"owner_address":"41${'cd'.repeat(20)}","to_address":"41${'ef'.repeat(20)}"}},"type":"${type}"}`;
  const textOf = (contracts: string, ret = '[{"contractRet":"SUCCESS"}]', id = `"${ID}"`): string =>
    `{"ret":${ret},"txID":${id},"raw_data":{"contract":[${contracts}],"timestamp":1}}`;
  const transfer = { from: `0x${'cd'.repeat(20)}`, to: `0x${'ef'.repeat(20)}` };

  it('has its amount with all digits', () => {
    expect(readTransaction(textOf(contract('9223372036854775807')))).toEqual({
      txHash: `0x${ID}`,
      succeeded: true,
      type: 'TransferContract',
      transfer: { ...transfer, value: 9_223_372_036_854_775_807n },
    });
  });

  it.each<[string, string, object | null]>([
    [
      'another kind',
      textOf(contract('1', 'TransferAssetContract')),
      { type: 'TransferAssetContract', transfer: null },
    ],
    ['two contracts', textOf(`${contract('1')},${contract('1')}`), { type: null, transfer: null }],
    ['no contract', textOf(''), { type: null, transfer: null }],
    ['out of energy', textOf(contract('1'), '[{"contractRet":"OUT_OF_ENERGY"}]'), { succeeded: false }],
    ['no result', textOf(contract('1'), '[]'), { succeeded: false }],
    ['an amount as a word', textOf(contract('"1"')), null],
    ['a fraction', textOf(contract('1.5')), null],
    ['less than nothing', textOf(contract('-1')), null],
    ['no id', textOf(contract('1'), '[]', 'null'), null],
    ['no transaction', '{"a":1}', null],
  ])('of %s is read for what it is', (_what, text, read) => {
    if (read === null) expect(readTransaction(text)).toBeNull();
    else expect(readTransaction(text)).toMatchObject(read);
  });

  it.each([
    ['{"blockNumber":66985120}', 66_985_120],
    ['{"blockNumber":"0x1"}', null],
    ['{}', null],
  ])('%s is in block %j', (text, number) => {
    expect(readBlockNumber(text)).toBe(number);
  });
});

it.each([
  [403, 'Forbidden'],
  [503, '<html>Service Unavailable</html>'],
  [200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"lack of computing resources"}}'],
  [200, `{"Error":"${'x'.repeat(1_000)} lack of computing resources"}`],
])('an answer %i with %s is no plain limit', (status, text) => {
  expect(limitIn(status, Buffer.from(text))).toBeNull();
});

it('leaves alone what is no log with a prefixed address', () => {
  const odd = { result: { logs: [null, { topics: 'x' }, { topics: [1, `0x41${'0'.repeat(62)}`] }] } };
  expect(translate(odd)).toEqual(odd);
  expect(translate({ result: null })).toEqual({ result: null });
});

it.each([
  ['/jsonrpc', '/wallet/gettransactionbyid'],
  ['/key/jsonrpc/?k=1', '/key/wallet/gettransactionbyid?k=1'],
  ['/', '/wallet/gettransactionbyid'],
])('the HTTP API beside %s is %s', async (path, expected) => {
  const calls: HttpCall[] = [];
  const exchange = (call: HttpCall) => {
    calls.push(call);
    return Promise.resolve({ status: 200, body: Buffer.from('{}'), retryAfter: undefined });
  };
  const connection = { path, exchange, answered: () => undefined } as unknown as RpcConnection;
  expect(await new Wallet(connection).ask('gettransactionbyid', `0x${ID}`)).toBeNull();
  expect(calls).toEqual([{ method: 'POST', path: expected, body: `{"value":"${ID}"}` }]);
});
