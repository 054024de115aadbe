export interface Story {
  /** The last two fraction digits of the amount, which choose it. */
  readonly ending: string;
  readonly name: string;
  readonly text: string;
}

/** The stories of the sandbox; see docs/running/sandbox.md. */
export const STORIES: readonly Story[] = [
  { ending: '00', name: 'All goes well', text: 'Deposit, swap, completed.' },
  { ending: '01', name: 'It fails', text: 'The deposit comes, then the swap fails.' },
  { ending: '02', name: 'Nobody pays', text: 'The quote expires.' },
  { ending: '03', name: 'Paid too late', text: 'Expires, is paid a minute later, and completes after all.' },
  { ending: '04', name: 'It stalls', text: 'Stays in the swap for an hour.' },
  { ending: '05', name: 'Straight through', text: 'From waiting to completed between two polls.' },
  { ending: '06', name: 'An unknown status', text: 'The provider says something new in between.' },
  { ending: '07', name: 'It goes back', text: 'The provider contradicts itself once.' },
  { ending: '08', name: 'An outage', text: 'The provider answers 500 for a minute in the middle.' },
];

/** From USDC on Base to USDC on Arbitrum. */
export const SANDBOX_ROUTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
} as const;
