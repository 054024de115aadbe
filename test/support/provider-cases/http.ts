import type { TamperingProxy } from '../tampering-proxy.ts';
import {
  changed,
  transportCases,
  withLaterTimes,
  type Case,
  type ProviderCases,
  type Seen,
} from './cases.ts';

type Json = Record<string, unknown>;

const STATUS = /^\/api\/status\//;
const QUOTE = /^\/api\/quote$/;
const OUTPUT = { startedAt: 1, completedAt: 1, outputTxHash: `0x${'ab'.repeat(32)}`, steps: [] };
const REFUND = { amount: '1', token: 'USDC' };

/** The provider speaks the specification, so that its reports are passed on. */
export function httpCases(proxy: TamperingProxy): ProviderCases {
  const says = (...reports: Json[]): ((played: { poll: () => Promise<void> }) => Promise<void>) => {
    return async ({ poll }) => {
      for (const [index, report] of reports.entries()) {
        if (index > 0) await poll();
        proxy.set(changed(STATUS, (body) => ({ ...body, ...report })));
      }
    };
  };
  const reported = (seen: Seen, ...reports: Json[]): Case => ({ seen, play: says(...reports) });
  const deposit = (match: string): Json => ({ txHash: '0x1', amount: match === 'overpaid' ? '51' : '1' });
  const completed = { status: 'COMPLETED', execution: OUTPUT };
  const failed = { status: 'FAILED', error: 'REFUNDED: 25.5 USDC' };
  return {
    'success without output, all refunded': reported('byWord', { status: 'COMPLETED' }),
    'success without output, nothing refunded': reported('byWord', { status: 'COMPLETED' }),
    'success with an amount and no transaction': reported('byWord', {
      status: 'COMPLETED',
      execution: { ...OUTPUT, outputTxHash: null, output: REFUND },
    }),
    'failure beside an output': { cannot: "FAILED is the specification's word for a failure" },
    "deposit's hash for the output's, on another chain": reported('byWord', completed),
    'success, a part delivered and a part refunded': reported('partly', {
      ...completed,
      execution: { ...OUTPUT, refund: REFUND },
      anomalies: ['partly_refunded'],
    }),
    'refund after the success': reported('afterCompleted', completed, failed),
    'refund after the success, which is still said': reported('afterCompleted', completed, {
      ...completed,
      execution: { ...OUTPUT, refund: REFUND },
    }),
    'short deposit': reported(
      'underpaid',
      { status: 'DEPOSIT_RECEIVED', deposit: deposit('underpaid') },
      { ...failed, deposit: deposit('underpaid') },
    ),
    'too large deposit': reported('overpaid', { ...completed, deposit: deposit('overpaid') }),
    'several deposits': reported('completed', completed),
    'deposit after the deadline': reported('lateCompleted', { status: 'EXPIRED' }, completed),
    'deposit that the provider does not see': reported('hintRefused', { status: 'EXPIRED' }),
    memo: {
      seen: 'memo',
      before: () =>
        proxy.set(
          changed(QUOTE, (body) => ({ ...body, send: { ...(body['send'] as Json), depositMemo: '12345' } })),
        ),
    },
    'deposit address of another quote': { cannot: 'Paybell keeps no list of its addresses' },
    'other deposit address in a status': reported('otherAddress', { depositAddress: `0x${'66'.repeat(20)}` }),
    'bad signature of a quote': { cannot: 'the specification signs no quotes' },
    'quote that differs from its request': {
      seen: 'notShown',
      before: () => proxy.set(changed(QUOTE, (body) => ({ ...body, recipient: `0x${'66'.repeat(20)}` }))),
    },
    'unknown word': reported('unknownWord', { status: 'TELEPORTED' }),
    'known word in small letters': { cannot: 'errors and gateways have such words: it is no report' },
    'times that change at each answer': {
      seen: 'timesAlone',
      play: async ({ poll }) => {
        const executing = { status: 'EXECUTING', execution: { ...OUTPUT, completedAt: null } };
        const timed = withLaterTimes(STATUS, /^startedAt$/);
        proxy.set((answer, path) =>
          timed(changed(STATUS, (body) => ({ ...body, ...executing }))(answer, path), path),
        );
        await poll();
      },
    },
    'one bad answer among several payments': {
      seen: 'othersGoOn',
      play: ({ quote }) => proxy.set(changed(new RegExp(quote.quoteId), () => null)),
    },
    ...transportCases(STATUS, (tamper) => proxy.set(tamper)),
    'number instead of a string': reported('askedAgain', { status: 7 }),
    'null instead of a list': reported('passedOn', {
      status: 'EXECUTING',
      execution: { ...OUTPUT, completedAt: null, steps: null },
    }),
  };
}
