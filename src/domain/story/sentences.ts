import { deposit, expired, otherToken, unseenDeposit, waits } from './deposit-words.ts';
import { paidTwice } from './order-words.ts';
import {
  completion,
  failure,
  partlyRefunded,
  received,
  released,
  resolved,
  standstill,
  underWay,
  verdict,
  wasUnderWay,
} from './provider-words.ts';
import { holdsBack, NOT_SET_UP, receiversKnow, receiversLack, unreceivedWords } from './receivers.ts';
import { type Row, type When, wordsOf } from './row.ts';
import type { Telling } from './standing.ts';

/** The chapters of a story, in the order in which they are told. */
export const CHAPTERS = ['money', 'provider', 'chain', 'order', 'receivers', 'resolution'] as const;

export type Chapter = (typeof CHAPTERS)[number];

const COMPLETED: When = { status: ['COMPLETED'] };
const FAILED: When = { status: ['FAILED'] };
const EXECUTING: When = { status: ['EXECUTING'] };
const HELD: When = { isHeld: [true] };
/** No chain was asked, or the chain agrees with the provider. */
const UNDISPUTED: When = { ...COMPLETED, proof: ['none', 'proven'] };
const STILL: When = { stall: ['no_progress', 'provider_silent'] };
const NOT_IN_TIME = 'No chain has proven it in time.';
const SHORT = 'the recipient got less than the quote promised.';
const PROOF_TO_COME = 'The proof on chain is still to come.';

/**
 * Every sentence about a payment. A chapter tells the first of its rows that fits and has words; the provider's chapter tells
 * the first one for each oddity. The test reads each combination that can occur: no two sentences contradict each other.
 */
export const SENTENCES: Readonly<Record<Chapter, readonly Row[]>> = {
  money: [
    { when: { status: ['AWAITING_DEPOSIT'] }, say: waits },
    { when: { status: ['EXPIRED'] }, say: expired },
    { when: { status: ['DEPOSIT_RECEIVED'] }, say: received },
    { when: { ...EXECUTING, ...HELD }, say: (of) => `${deposit(of)}; the provider reports completion.` },
    { when: { ...EXECUTING, ...STILL }, say: wasUnderWay },
    { when: EXECUTING, say: underWay },
    { when: { ...FAILED, ...HELD }, say: (of) => `${failure(of)} The provider now reports completion.` },
    { when: FAILED, say: failure },
    { when: { ...COMPLETED, resolution: ['released'] }, say: released },
    { when: COMPLETED, say: completion },
    { when: {}, say: ({ standing }) => `The provider says ${standing.status}.` },
  ],
  provider: [
    { when: { stall: ['provider_silent'] }, say: 'The provider says nothing usable about it any more.' },
    { when: { stall: ['no_progress'], isHeld: [false] }, say: standstill },
    {
      when: { oddities: ['changed_after_completed'] },
      say: 'The provider took the completion back, or changed it.',
    },
    {
      when: { oddities: ['contradictory_output'] },
      say: 'The provider reports a failure beside the delivery.',
    },
    {
      when: { ...UNDISPUTED, oddities: ['partly_refunded'] },
      say: 'Only a part was delivered, the rest went back.',
    },
    { when: { oddities: ['partly_refunded'] }, say: partlyRefunded },
    { when: { ...COMPLETED, proof: ['none'], oddities: ['short_output'] }, say: `T${SHORT.slice(1)}` },
    {
      when: { oddities: ['short_output'] },
      say: ({ standing }) =>
        standing.verdict === 'amount_short' ? '' : `The provider reports that ${SHORT}`,
    },
    { when: { oddities: ['other_token_received'] }, say: otherToken },
    {
      when: { oddities: ['went_back'] },
      say: 'The provider contradicted itself: a report went back to an earlier status, and was not taken over.',
    },
    {
      when: { oddities: ['other_address'] },
      say: 'A report named another deposit address, and was not taken over.',
    },
    {
      when: { oddities: ['unknown_status'] },
      say: 'A report had a status that Paybell does not know, and was not taken over.',
    },
  ],
  chain: [
    { when: { unseen: ['asked_token'] }, say: unseenDeposit },
    {
      when: { unseen: ['other_token'] },
      say: 'The chain shows a deposit of another token than the quote asks for.',
    },
    { when: { proof: ['contradicted'] }, say: verdict },
    { when: { ...HELD, isUnproven: [true] }, say: NOT_IN_TIME },
    { when: { ...HELD, proof: ['unverified'] }, say: NOT_IN_TIME },
    { when: { proof: ['pending'] }, say: PROOF_TO_COME },
    { when: { proof: ['proven'] }, say: 'The chain has proven it.' },
    { when: { proof: ['unverified'] }, say: 'No chain has proven it.' },
  ],
  order: [{ when: { isPaidTwice: [true] }, say: paidTwice }],
  receivers: [
    { when: { ...HELD, told: ['all'] }, say: holdsBack },
    { when: { ...HELD, told: ['hidden', 'no_event'] }, say: 'Held back.' },
    { when: { ...HELD, told: ['unset'] }, say: `Held back. ${NOT_SET_UP}` },
    { when: HELD, say: (of) => `Held back. ${unreceivedWords(of) || receiversLack(of)}` },
    { when: { told: ['unset'] }, say: NOT_SET_UP },
    { when: { told: ['nobody'] }, say: unreceivedWords },
    { when: { told: ['all'] }, say: receiversKnow },
    { when: {}, say: receiversLack },
  ],
  resolution: [{ when: { resolution: ['settled'] }, say: resolved }],
};

export function sentencesOf(chapter: Chapter, telling: Telling): string[] {
  const told = new Set<string>();
  return SENTENCES[chapter].flatMap((row) => {
    const about = chapter === 'provider' ? String(row.when.oddities ?? row.when.stall) : chapter;
    const words = told.has(about) ? '' : wordsOf(row, telling);
    if (words !== '') told.add(about);
    return words === '' ? [] : [words];
  });
}
