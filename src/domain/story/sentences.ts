import { deposit, expired, unseenDeposit, waits } from './deposit-words.ts';
import {
  completion,
  failure,
  received,
  released,
  resolved,
  settlesExpiry,
  settlesFailure,
  standstill,
  underWay,
  verdict,
  wasUnderWay,
} from './provider-words.ts';
import {
  helpsReceiver,
  holdsBack,
  NOBODY_THEN,
  NOT_SET_UP,
  receiversKnow,
  receiversLack,
} from './receivers.ts';
import type { Standing, Telling } from './standing.ts';

/** The chapters of a story, in the order in which they are told. */
export const CHAPTERS = ['money', 'provider', 'chain', 'receivers', 'resolution', 'toDo'] as const;

export type Chapter = (typeof CHAPTERS)[number];

/** The condition of a sentence: the values that fit, in some of the fields of a standing. Of the oddities, one must fit. */
type When = {
  readonly [Field in keyof Standing]?: Standing[Field] extends readonly (infer One)[]
    ? readonly One[]
    : readonly Standing[Field][];
};

export interface Row {
  readonly when: When;
  readonly say: string | ((telling: Telling) => string);
}

const COMPLETED: When = { status: ['COMPLETED'] };
const FAILED: When = { status: ['FAILED'] };
const EXECUTING: When = { status: ['EXECUTING'] };
const UNPAID: When = { status: ['AWAITING_DEPOSIT', 'EXPIRED'] };
const HELD: When = { isHeld: [true] };
const OPEN: When = { resolution: ['none'] };
/** Destinations must know of a payment, unless a person has settled it otherwise. */
const UNSETTLED: When = { resolution: ['none', 'released'] };
/** No chain was asked, or the chain agrees with the provider. */
const UNDISPUTED: When = { ...COMPLETED, proof: ['none', 'proven'] };
const STILL: When = { stall: ['no_progress', 'provider_silent'] };
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
    { when: { stall: ['no_progress'] }, say: standstill },
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
    {
      when: { oddities: ['partly_refunded'] },
      say: 'The provider reports that only a part was delivered, and that the rest went back.',
    },
    { when: { ...COMPLETED, proof: ['none'], oddities: ['short_output'] }, say: `T${SHORT.slice(1)}` },
    { when: { oddities: ['short_output'] }, say: `The provider reports that ${SHORT}` },
    {
      when: { oddities: ['other_token_received'] },
      say: 'The payer sent another token than the quote asks for.',
    },
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
    { when: { ...HELD, proof: ['unverified'] }, say: 'No chain has proven it in time.' },
    { when: { proof: ['pending'] }, say: PROOF_TO_COME },
    { when: { proof: ['proven'] }, say: 'The chain has proven it.' },
    { when: { proof: ['unverified'] }, say: 'No chain has proven it.' },
  ],
  receivers: [
    { when: { ...HELD, told: ['all'] }, say: holdsBack },
    { when: { ...HELD, told: ['hidden', 'no_event'] }, say: 'Held back.' },
    { when: { ...HELD, told: ['unset'] }, say: `Held back. ${NOT_SET_UP}` },
    { when: { ...HELD, told: ['nobody'] }, say: `Held back. ${NOBODY_THEN}` },
    { when: HELD, say: (of) => `Held back. ${receiversLack(of)}` },
    { when: { told: ['unset'] }, say: NOT_SET_UP },
    { when: { told: ['nobody'] }, say: NOBODY_THEN },
    { when: { told: ['all'] }, say: receiversKnow },
    { when: {}, say: receiversLack },
  ],
  resolution: [{ when: { resolution: ['settled'] }, say: resolved }],
  toDo: [
    {
      when: { ...OPEN, proof: ['contradicted'] },
      say: 'Hand nothing out before you know more: ask the provider where the money is.',
    },
    {
      when: { ...OPEN, ...HELD, proof: ['unverified'] },
      say: 'Look at the answers of the RPCs, or release the payment once you have seen the money.',
    },
    { when: { ...OPEN, oddities: ['changed_after_completed'] }, say: 'Ask the provider where the money is.' },
    {
      when: { ...OPEN, oddities: ['contradictory_output'] },
      say: 'Ask the provider which of the two is true.',
    },
    {
      when: { ...OPEN, ...COMPLETED, oddities: ['partly_refunded', 'short_output', 'other_token_received'] },
      say: 'Settle the difference.',
    },
    {
      when: { ...OPEN, ...COMPLETED, match: ['underpaid'] },
      say: 'Ask the payer for the rest, or settle the payment otherwise.',
    },
    { when: { ...OPEN, ...COMPLETED, match: ['overpaid'] }, say: 'Give back what is too much.' },
    { when: { ...OPEN, unseen: ['asked_token'] }, say: 'Show the provider the transaction.' },
    { when: { ...OPEN, unseen: ['other_token'] }, say: 'Ask the provider to send it back.' },
    {
      when: { ...OPEN, ...UNPAID, oddities: ['other_token_received'] },
      say: 'Ask the provider to send it back.',
    },
    { when: { ...OPEN, status: ['EXPIRED'] }, say: settlesExpiry },
    { when: { ...OPEN, ...STILL }, say: 'Ask the provider.' },
    { when: { ...OPEN, ...FAILED, isHeld: [false] }, say: settlesFailure },
    {
      when: { ...OPEN, oddities: ['went_back', 'other_address', 'unknown_status'] },
      say: 'Ask the provider which report holds, and resolve the payment.',
    },
    { when: { ...UNSETTLED, told: ['unset'] }, say: 'Add an endpoint.' },
    {
      when: { ...UNSETTLED, told: ['nobody'] },
      say: 'Recover the endpoint from a time before this payment.',
    },
    { when: UNSETTLED, say: helpsReceiver },
    { when: { ...OPEN, ...COMPLETED, isLate: [true] }, say: 'Settle the order with the buyer.' },
  ],
};

export function sentencesOf(chapter: Chapter, telling: Telling): string[] {
  const told = new Set<string>();
  return SENTENCES[chapter].flatMap(({ when, say }) => {
    const about = chapter === 'provider' ? String(when.oddities ?? when.stall) : chapter;
    const words = told.has(about) || !fits(when, telling.standing) ? '' : said(say, telling);
    if (words !== '') told.add(about);
    return words === '' ? [] : [words];
  });
}

function said(say: Row['say'], telling: Telling): string {
  return typeof say === 'string' ? say : say(telling);
}

export function fits(when: When, standing: Standing): boolean {
  return (Object.entries(when) as [keyof Standing, readonly unknown[]][]).every(([field, values]) =>
    [standing[field]].flat().some((value) => values.includes(value)),
  );
}
