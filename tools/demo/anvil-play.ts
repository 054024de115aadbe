import { Player } from '../stand-in/player.js';
import { Anvil, type Mined } from '../testkit/anvil.ts';
import { ProviderStub } from '../testkit/provider-stub.ts';
import type { Account } from './ledger.ts';
import type { Quote } from './paybell-client.ts';
import type { Play } from './play.ts';
import { ETH, story, type Story, USDC_ON_BASE } from './stories.ts';

const PROVIDER = 'http';
const KEY = 'key-of-the-stand-in';
/** A block each second, which is final four blocks later: a contradiction waits for a final block. */
const FLAGS = ['--block-time', '1', '--slots-in-an-epoch', '2'];
const CONFIRMATIONS = 3;
const PAYS_AFTER_MS = 2_000;
const STEP_MS = 1_500;
/** The time until the first payment is proven, its transfer is final, and all RPCs know this. */
const SECOND_USE_MS = 6_000;
const LOOK_EVERY_MS = 250;
const PROMISED = 25_000_000n;
const SHORT = 15_000_000n;
/** More than all of the token. */
const TOO_MUCH = 10n ** 30n;
const OTHER_RECIPIENT = '0x3000000000000000000000000000000000000036';
const DECIMALS = 6;

const FIRST = 'P-1001';

/** Sends the transaction of a provider that reports a payout. */
type Payout = (play: { anvil: Anvil; token: string; twin: string; recipient: string }) => Promise<Mined>;

const PAYOUTS: Readonly<Record<string, readonly [title: string, verdict: string, pay: Payout]>> = {
  [FIRST]: [
    'all of it comes',
    'proven',
    ({ anvil, token, recipient }) => anvil.transfer(token, recipient, PROMISED),
  ],
  'P-1002': [
    '60 % of it comes',
    'contradicted: amount_short',
    ({ anvil, token, recipient }) => anvil.transfer(token, recipient, SHORT),
  ],
  'P-1003': [
    'it goes elsewhere',
    'contradicted: other_recipient',
    ({ anvil, token }) => anvil.transfer(token, OTHER_RECIPIENT, PROMISED),
  ],
  'P-1004': [
    'another token comes, of the same name',
    'contradicted: other_token',
    ({ anvil, twin, recipient }) => anvil.transfer(twin, recipient, PROMISED),
  ],
  'P-1005': [
    'the transaction fails',
    'contradicted: output_reverted',
    ({ anvil, token, recipient }) => anvil.transfer(token, recipient, TOO_MUCH),
  ],
  'P-1006': [
    'the transaction moves nothing',
    'contradicted: output_missing',
    ({ anvil, recipient }) => anvil.send({ to: recipient }),
  ],
};
const SECOND_USE = 'P-1007';

/** Payments whose provider reports COMPLETED, on a real node that shows the actual transfers. */
export class AnvilPlay implements Play {
  readonly title = 'seven payouts on a real node, of which the provider says that all are right';
  readonly stories: readonly Story[];
  private readonly player = new Player();
  private firstHash: string | null = null;
  private isClosed = false;

  private constructor(
    private readonly anvil: Anvil,
    private readonly provider: ProviderStub,
    private readonly token: string,
    private readonly twin: string,
  ) {
    const usdc = { ...USDC_ON_BASE, token };
    const of = (orderId: string, title: string, verdict: string): Story => {
      const isProven = verdict === 'proven';
      const mustHappen = ['payment.created', isProven ? 'payment.completed' : 'payment.anomaly'];
      const course = {
        provider: PROVIDER,
        title,
        verdict,
        end: isProven ? 'COMPLETED' : 'EXECUTING',
        mustHappen,
      };
      return story(orderId, '0.01', ETH, usdc, course);
    };
    this.stories = [
      ...Object.entries(PAYOUTS).map(([orderId, [title, verdict]]) => of(orderId, title, verdict)),
      of(SECOND_USE, 'the transaction of the first payment', 'contradicted: output_used_before'),
    ];
  }

  static async open(path: string): Promise<AnvilPlay> {
    const [anvil, provider] = await Promise.all([
      Anvil.start(path, USDC_ON_BASE.chainId, FLAGS),
      ProviderStub.start(KEY),
    ]);
    const [token, twin] = await Promise.all([anvil.deploy('Token'), anvil.deploy('Token')]);
    provider.quoteWith({
      receive: {
        chain: { id: USDC_ON_BASE.chainId, name: USDC_ON_BASE.chain },
        token: { address: token, symbol: 'USDC', name: 'USD Coin', decimals: DECIMALS },
        estimatedAmount: '25',
        minimumAmount: '24.9',
      },
    });
    return new AnvilPlay(anvil, provider, token, twin);
  }

  get env(): Record<string, string> {
    const { chainId } = USDC_ON_BASE;
    return {
      PROVIDER,
      PROVIDER_BASE_URL: this.provider.url,
      PROVIDER_API_KEY: KEY,
      VERIFY: 'require',
      CHAIN_RPC: `${chainId}=${this.anvil.url}`,
      CHAIN_CONFIRMATIONS: `${chainId}=${CONFIRMATIONS}`,
      // Often enough to see each status.
      POLL_INTERVAL_MS: '1000',
      POLL_MIN_GAP_MS: '500',
    };
  }

  begin({ orderId, request }: Story, { quoteId }: Quote): void {
    const say = (status: string): void => this.provider.setStatus(quoteId, { status });
    const steps = [
      [PAYS_AFTER_MS, () => say('DEPOSIT_RECEIVED')],
      [STEP_MS, () => say('EXECUTING')],
      [STEP_MS, () => orderId !== SECOND_USE && void this.payOut(orderId, request.recipient, quoteId)],
    ] as const;
    void this.player.play(steps, 1);
  }

  /** For a second payment, the provider names the transaction of the first one. */
  async disturb(accounts: readonly Account[]): Promise<void> {
    const [first, second] = [FIRST, SECOND_USE].map((id) =>
      accounts.find(({ story: { orderId } }) => orderId === id),
    );
    while (!this.isClosed && first?.webhooks.at(-1)?.data.status !== 'COMPLETED')
      await this.player.pause(LOOK_EVERY_MS);
    await this.player.pause(SECOND_USE_MS);
    if (!this.isClosed && second !== undefined) await this.payOut(SECOND_USE, '', second.quoteId);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.player.stop();
    await Promise.all([this.provider.close(), this.anvil.stop()]);
  }

  private async payOut(orderId: string, recipient: string, quoteId: string): Promise<void> {
    const { anvil, token, twin } = this;
    const mined = await PAYOUTS[orderId]?.[2]({ anvil, token, twin, recipient });
    if (orderId === FIRST) this.firstHash = mined?.txHash ?? null;
    const now = Math.floor(Date.now() / 1_000);
    const outputTxHash = mined?.txHash ?? this.firstHash;
    const execution = { startedAt: now, completedAt: now, outputTxHash, steps: [] };
    this.provider.setStatus(quoteId, { status: 'COMPLETED', execution });
  }
}
