import { allDelaysOf, CHANGES, delaysOf } from './delays.ts';
import type { Run } from './run.ts';

/** A figure with an aim, and its value in this run. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly aim: string;
  readonly isReached: boolean;
}

const EXECUTING_AIM_S = 2.6;
const SHARE_AIM = 0.5;
const AFTER_OUTAGE_AIM = 1.2;

/** The aims apply to a provider without a limit, and to a steady number of payments under a short budget. */
export function figuresOf(run: Run): Figure[] {
  if (run.options.rpm === 0) return unlimitedFigures(run);
  return run.options.open > 0 ? limitedFigures(run) : [];
}

function unlimitedFigures({ paybell, fixed, lives }: Run): Figure[] {
  const outS = delaysOf(paybell, CHANGES.outOfExecuting).meanMs / 1_000;
  const usualS = delaysOf(paybell, CHANGES.afterDeposit).medianMs / 1_000;
  const afterOutageS = allDelaysOf(paybell, CHANGES.afterOutage).medianMs / 1_000;
  const mine = paybell.requestsUntilEnd / lives.length;
  const theirs = fixed.requestsUntilEnd / lives.length;
  return [
    {
      what: 'mean delay of changes out of EXECUTING',
      measured: `${outS.toFixed(2)} s`,
      aim: `at most ${EXECUTING_AIM_S.toFixed(2)} s`,
      isReached: outS <= EXECUTING_AIM_S,
    },
    {
      what: 'median delay of changes after an outage',
      measured: `${afterOutageS.toFixed(2)} s`,
      aim: `at most 1.2 times the usual ${usualS.toFixed(2)} s`,
      isReached: !(afterOutageS > usualS * AFTER_OUTAGE_AIM),
    },
    {
      what: 'requests a payment until its end',
      measured: mine.toFixed(2),
      aim: `at most the fixed poller's ${theirs.toFixed(2)}`,
      isReached: mine <= theirs,
    },
  ];
}

function limitedFigures({ paybell, fixed }: Run): Figure[] {
  const rows = [
    ['all changes after the deposit', CHANGES.afterDeposit],
    ['… without the deposit’s own detection', CHANGES.afterDepositItself],
    ['… once the deposit is known to the poller', CHANGES.ofKnownDeposits],
  ] as const;
  return rows.map(([what, isMeant]) => {
    const mine = delaysOf(paybell, isMeant).meanMs / 1_000;
    const theirs = delaysOf(fixed, isMeant).meanMs / 1_000;
    return {
      what: `mean delay: ${what}`,
      measured: `${mine.toFixed(1)} s`,
      aim: `at most half of ${theirs.toFixed(1)} s`,
      isReached: mine <= theirs * SHARE_AIM,
    };
  });
}
