import { parseArgs } from 'node:util';

import { PROOF_MODES, type ProofMode } from './proof/proven-stories.ts';

/** Parts that a machine may lack: the options must name those that a run goes without. */
export const PARTS = ['clocks', 'broker', 'logs'] as const;
export type Part = (typeof PARTS)[number];

/** The options of a run. */
export interface ChaosOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly replicas: number;
  /** The number of `kill -9` of replicas in the whole run, and of all other faults. */
  readonly kills: number;
  readonly faults: number;
  /** New payments a minute. */
  readonly payments: number;
  readonly without: ReadonlySet<Part>;
  /** Four providers at once, one of which dies and comes back. */
  readonly hasProviders: boolean;
  /** The mode of VERIFY, with a chain whose two RPCs may fail; null: no chain proves anything. */
  readonly proof: ProofMode | null;
}

export const USAGE = `usage: npm run chaos -- [options]

  --minutes N       how long faults happen (5)
  --hours N         the same in hours
  --seed N          the plan of faults and the payments' stories; otherwise a random one, which is printed
  --replicas N      replicas of the built service, 2 to 8 (3)
  --kills N         kill -9 of replicas in all (8 a minute)
  --faults N        other faults in all (2 a minute)
  --payments N      new payments a minute (60)
  --providers       four providers of different limits, one of which dies and comes back
  --proof MODE      VERIFY=${PROOF_MODES.join(' or ')}: providers that lie, and two RPCs that lie, lag, limit, fork and go away
  --without PART    leaves out what this machine lacks: ${PARTS.join(', ')}; may be repeated
`;

const OPTIONS = {
  minutes: { type: 'string' },
  hours: { type: 'string' },
  seed: { type: 'string' },
  replicas: { type: 'string', default: '3' },
  kills: { type: 'string' },
  faults: { type: 'string' },
  payments: { type: 'string', default: '60' },
  providers: { type: 'boolean', default: false },
  proof: { type: 'string' },
  without: { type: 'string', multiple: true },
} as const;
const USUAL_MINUTES = 5;
const KILLS_A_MINUTE = 8;
const FAULTS_A_MINUTE = 2;
const MAX_MINUTES = 7 * 24 * 60;
const MAX_SEED = 4_294_967_295;

/** Reads the command line; throws with a message for a person. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const minutes = minutesOf(values);
  if (values.providers && values.proof !== undefined)
    throw new Error('--providers and --proof exclude each other');
  const usual = (perMinute: number): string => String(Math.round(perMinute * minutes));
  return {
    minutes,
    seed: whole('seed', values.seed ?? String(Math.floor(Math.random() * MAX_SEED)), 0, MAX_SEED),
    replicas: whole('replicas', values.replicas, 2, 8),
    kills: whole('kills', values.kills ?? usual(KILLS_A_MINUTE), 0, 1_000_000),
    faults: whole('faults', values.faults ?? usual(FAULTS_A_MINUTE), 0, 1_000_000),
    payments: whole('payments', values.payments, 1, 600),
    hasProviders: values.providers,
    proof: values.proof === undefined ? null : oneOf('--proof', values.proof, PROOF_MODES),
    without: new Set((values.without ?? []).map((part) => oneOf('--without', part, PARTS))),
  };
}

function minutesOf({ minutes, hours }: { minutes?: string; hours?: string }): number {
  if (minutes !== undefined && hours !== undefined)
    throw new Error('--minutes and --hours exclude each other');
  const given = hours === undefined ? Number(minutes ?? USUAL_MINUTES) : Number(hours) * 60;
  if (given > 0 && given <= MAX_MINUTES) return given;
  throw new Error(`--minutes or --hours has to be above 0, and at most a week`);
}

function oneOf<T extends string>(option: string, word: string, words: readonly T[]): T {
  const found = words.find((each) => each === word);
  if (found === undefined) throw new Error(`${option} ${word}: it has to be one of ${words.join(', ')}`);
  return found;
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Error(`--${name} is ${text}: it has to be a whole number from ${least} to ${most}`);
  return value;
}
