import type { Random } from '../simulation/random.ts';
import type { Payout } from './proof/scripted-chain.ts';

/** The provider's report about a payment until the next step. */
export interface Step {
  readonly status: string;
  /** Fields that differ from those of the last step; later steps keep them. */
  readonly more: Readonly<Record<string, unknown>>;
  /** The event that shows this step, as `type`, `type reason` or `type late`; null: none does. */
  readonly event: string | null;
  /** The shortest time for which the provider reports this step. */
  readonly forMs: number;
  /** The provider's transaction on the chain as the step begins. */
  readonly payout?: Payout;
}

export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
  /** `patient`: the next step comes only after an event of this step has arrived anywhere, so that no step may be missed. */
  readonly isPatient: boolean;
  /** How often a poll is answered with an error, or late. */
  readonly flakiness: number;
}

type Draft = readonly [status: string, event: string | null, more?: Readonly<Record<string, unknown>>];

const DEPOSIT = { deposit: { txHash: '0xdead', amount: '50000000000000000', confirmations: 1 } };
const CONFIRMED = { deposit: { txHash: '0xdead', amount: '50000000000000000', confirmations: 12 } };
const GAS = { gas: { txHash: '0x9a5', amount: '21000' } };
const STARTED = { execution: { startedAt: 1, completedAt: null, outputTxHash: null, steps: ['swap'] } };
const DONE = { execution: { startedAt: 1, completedAt: 2, outputTxHash: '0xfeed', steps: ['swap', 'send'] } };
const BROKEN = { error: { code: 'SLIPPAGE', message: 'The price moved too far.' } };

const WAITING: Draft = ['AWAITING_DEPOSIT', 'created'];
const RECEIVED: Draft = ['DEPOSIT_RECEIVED', 'deposit_received', DEPOSIT];
const EXECUTING: Draft = ['EXECUTING', 'executing', STARTED];
const COMPLETED: Draft = ['COMPLETED', 'completed', DONE];

const STORIES: Readonly<Record<string, { readonly share: number; readonly drafts: readonly Draft[] }>> = {
  plain: { share: 5, drafts: [WAITING, RECEIVED, EXECUTING, COMPLETED] },
  detailed: {
    share: 2,
    drafts: [
      WAITING,
      RECEIVED,
      ['DEPOSIT_RECEIVED', 'updated', CONFIRMED],
      ['DEPOSIT_RECEIVED', 'updated', GAS],
      EXECUTING,
      COMPLETED,
    ],
  },
  skips: { share: 1, drafts: [WAITING, COMPLETED] },
  fails: { share: 1, drafts: [WAITING, RECEIVED, EXECUTING, ['FAILED', 'failed', BROKEN]] },
  expires: { share: 1, drafts: [WAITING, ['EXPIRED', 'expired']] },
  late: {
    share: 1,
    drafts: [
      WAITING,
      ['EXPIRED', 'expired'],
      ['DEPOSIT_RECEIVED', 'deposit_received late', DEPOSIT],
      ['COMPLETED', 'completed late', DONE],
    ],
  },
  mended: {
    share: 1,
    drafts: [
      WAITING,
      RECEIVED,
      ['FAILED', 'failed', BROKEN],
      ['COMPLETED', 'completed late', { ...DONE, error: null }],
    ],
  },
  back: {
    share: 1,
    drafts: [
      WAITING,
      RECEIVED,
      EXECUTING,
      ['AWAITING_DEPOSIT', 'anomaly went_back'],
      ['EXECUTING', null],
      COMPLETED,
    ],
  },
  unknown: { share: 1, drafts: [WAITING, RECEIVED, ['REFUNDING', 'anomaly unknown_status'], COMPLETED] },
};

const PATIENT_SHARE = 0.6;
const FLAKY_SHARE = 0.2;

/** Stories that every provider can tell. */
const CARRIED = ['plain', 'skips', 'fails'] as const;

/** A payment's story, drawn at random. */
export function makeStory(random: Random): Story {
  return storyOf(Object.keys(STORIES), random);
}

/** The story of a payment at Relay, 1Click or Chainflip. */
export function makeCarriedStory(random: Random): Story {
  return { ...storyOf(CARRIED, random), flakiness: 0 };
}

function storyOf(names: readonly string[], random: Random): Story {
  const shares = names.map((name) => [name, STORIES[name]?.share ?? 0] as const);
  const name = random.pick(shares);
  const isPatient = random.chance(PATIENT_SHARE);
  // Hurried stories may pass a step between two polls.
  const [fromMs, toMs] = isPatient ? [500, 4_000] : [500, 8_000];
  const steps = (STORIES[name]?.drafts ?? []).map(([status, event, more = {}]) => ({
    status,
    event,
    more,
    forMs: Math.round(random.between(fromMs, toMs)),
  }));
  return { name, steps, isPatient, flakiness: random.chance(FLAKY_SHARE) ? 0.3 : 0 };
}

/** The events of a patient story, in order. */
export function eventsOf({ steps }: Story): string[] {
  return steps.flatMap(({ event }) => event ?? []);
}

/** The payment's status after the last step; a word that is no status changes nothing. */
export function finalStatusOf({ steps }: Story): string {
  return steps.at(-1)?.status ?? '';
}
