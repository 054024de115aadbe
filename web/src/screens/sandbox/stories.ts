export interface Story {
  /** The last fraction digits of the amount, which select the story. */
  readonly ending: string;
  readonly name: string;
  readonly text: string;
}

interface Shelf {
  readonly title: string;
  readonly stories: readonly Story[];
}

/** The stories of the sandbox; see docs/running/sandbox.md. */
export const SHELVES: readonly Shelf[] = [
  {
    title: 'How a payment goes',
    stories: [
      { ending: '00', name: 'All goes well', text: 'Deposit, swap, completed.' },
      { ending: '01', name: 'It fails', text: 'The deposit comes, then the swap fails.' },
      { ending: '02', name: 'Nobody pays', text: 'The quote expires.' },
      {
        ending: '03',
        name: 'Paid too late',
        text: 'Expires, is paid a minute later, and completes after all.',
      },
      { ending: '04', name: 'It stalls', text: 'Stays in the swap for an hour.' },
      { ending: '05', name: 'Straight through', text: 'From waiting to completed between two polls.' },
      { ending: '06', name: 'An unknown status', text: 'The provider says something new in between.' },
      { ending: '07', name: 'It goes back', text: 'The provider contradicts itself once.' },
      { ending: '08', name: 'An outage', text: 'The provider answers 500 for a minute in the middle.' },
    ],
  },
  {
    title: 'What may happen to the money',
    stories: [
      { ending: '909', name: 'A refund', text: 'The deposit comes, and all of it goes back.' },
      { ending: '910', name: 'A refund in part', text: '60 % is delivered, and 40 % goes back.' },
      { ending: '911', name: 'Too little', text: '40 % comes, and is delivered.' },
      { ending: '912', name: 'Too little, refunded', text: '40 % comes, and goes back.' },
      { ending: '913', name: 'Too much', text: '150 % comes, and is delivered.' },
      { ending: '914', name: 'Two deposits', text: '40 % comes, then the rest.' },
      { ending: '915', name: 'Paid twice', text: 'The same sum comes again after the completion.' },
      { ending: '916', name: 'A refund afterwards', text: 'All goes back after the completion.' },
      {
        ending: '917',
        name: 'A deposit that is not seen',
        text: 'The quote expires; with the deposit call of the API, the provider sees the deposit after all.',
      },
      { ending: '918', name: 'The wrong token', text: 'Another token comes, and the quote expires.' },
      {
        ending: '919',
        name: 'A late refund',
        text: 'The deposit comes after the expiry, and goes back 20 minutes later.',
      },
      { ending: '920', name: 'A memo', text: 'The payer must send a memo with the deposit.' },
      { ending: '921', name: 'Another address', text: 'One report names another deposit address.' },
      { ending: '922', name: 'A silence', text: 'The provider answers 500 for a quarter of an hour.' },
      { ending: '923', name: 'A review', text: 'The provider holds the deposit for a quarter of an hour.' },
    ],
  },
  {
    title: 'What the chain shows, with VERIFY',
    stories: [
      { ending: '924', name: 'No transfer', text: 'The transaction moves nothing.' },
      { ending: '925', name: 'A failed transaction', text: 'The transaction of the output failed.' },
      { ending: '926', name: 'Another recipient', text: 'The transfer goes to another address.' },
      { ending: '927', name: 'Another token', text: 'The recipient gets another token.' },
      { ending: '928', name: 'Too little arrives', text: '60 % of the promised amount arrives.' },
      { ending: '929', name: 'A transfer twice', text: 'The transfer has proven another payment.' },
      { ending: '930', name: 'A reorganisation', text: 'It is proven, then the chain loses the block.' },
      { ending: '931', name: 'A late block', text: 'The transaction is mined 5 minutes later.' },
      { ending: '932', name: 'A silent chain', text: 'Nothing proves it, and nothing contradicts.' },
      {
        ending: '933',
        name: 'A deposit on chain alone',
        text: 'The chain has the deposit; the provider reports it 25 minutes later.',
      },
      { ending: '934', name: 'A double spend', text: 'Another transaction spends the coins of the output.' },
    ],
  },
];

/** From USDC on Base to USDC on Arbitrum. */
export const SANDBOX_ROUTE = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
} as const;
