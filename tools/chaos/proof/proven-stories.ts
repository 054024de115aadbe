import type { Random } from '../../simulation/random.ts';
import type { Step, Story } from '../stories.ts';

export const PROOF_MODES = ['require', 'observe'] as const;
export type ProofMode = (typeof PROOF_MODES)[number];

const LIE_SHARE = 0.25;
const LIES = ['other_recipient', 'amount_short', 'other_token', 'output_reverted', null, null] as const;
const LIE_LASTS_MS = [4_000, 15_000] as const;

/** The story with its payout on the chain. With `require`, a provider that has lied pays in the end. */
export function provenStory(story: Story, mode: ProofMode, random: Random): Story {
  const last = story.steps.at(-1);
  if (last?.status !== 'COMPLETED') return story;
  const isSlow = random.chance(0.3);
  const afterBlocks = isSlow ? Math.round(random.between(2, 16)) : 0;
  const paid = { ...last, payout: { deed: 'paid', isNamed: random.chance(0.75), afterBlocks } } as const;
  const deed = LIES[Math.floor(random.next() * LIES.length)] ?? null;
  const lie = { ...last, payout: { deed, isNamed: deed !== null || random.chance(0.5), afterBlocks: 0 } };
  // A payment becomes late by a move: while its completion is withheld, it keeps its status.
  const standing = mode === 'require' ? (story.steps.at(-2)?.event ?? '') : (last.event ?? '');
  const told = deed === null ? null : `anomaly ${deed}${lateness(standing)}`;
  const isLie = random.chance(LIE_SHARE);
  const forMs = Math.round(random.between(...LIE_LASTS_MS));
  const ends: Step[] = isLie
    ? mode === 'require'
      ? [{ ...lie, event: told, forMs }, paid]
      : [lie, ...(told === null ? [] : [{ ...last, more: {}, event: told }])]
    : [
        paid,
        ...(mode === 'require'
          ? []
          : [{ ...last, more: {}, event: `verified${lateness(last.event ?? '')}` }]),
      ];
  return { ...story, steps: [...story.steps.slice(0, -1), ...ends] };
}

function lateness(event: string): string {
  return event.endsWith(' late') ? ' late' : '';
}

/** The event with which every such story ends. */
export function finalProofOf({ steps }: Story): string | null {
  const event = steps.at(-1)?.event ?? null;
  return event?.startsWith('verified') === true || event?.startsWith('anomaly') === true ? event : null;
}
