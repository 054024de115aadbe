import { Player } from '../stand-in/player.js';
import { type Carrier, openChainflip, openHttp, openOneClick, openRelay } from '../stand-in/carriers.ts';
import type { Account } from './ledger.ts';
import type { Quote } from './paybell-client.ts';
import type { Play } from './play.ts';
import { PROVIDER_STORIES, type Story } from './stories.ts';

const PAYS_AFTER_MS = 4_000;
const STEP_MS = 2_500;
/** The time from the deposits to the effects of them. */
const DIES_AFTER_MS = PAYS_AFTER_MS + 2_250;
const LOOK_EVERY_MS = 250;
const DIES = 'oneclick';

/** Eight payments over four providers at once, one of which dies on the way and comes back. */
export class ProvidersPlay implements Play {
  readonly title =
    'eight payments over the stand-ins of four providers: http, relay, chainflip and oneclick, which dies on the way';
  readonly stories = PROVIDER_STORIES;
  private readonly player = new Player();
  private isClosed = false;

  private constructor(private readonly carriers: readonly Carrier[]) {}

  static async open(): Promise<ProvidersPlay> {
    return new ProvidersPlay(await Promise.all([openHttp(), openRelay(), openOneClick(), openChainflip()]));
  }

  get env(): Record<string, string> {
    return {
      ...Object.assign({}, ...this.carriers.map(({ env }) => env)),
      PROVIDER: this.carriers.map(({ name }) => name).join(','),
      // Often enough to see each status.
      POLL_INTERVAL_MS: '1000',
      POLL_MIN_GAP_MS: '500',
      ONECLICK_MAX_RPM: '0',
      CHAINFLIP_MAX_RPM: '0',
    };
  }

  begin(story: Story, quote: Quote): void {
    const carrier = this.carrier(story.provider ?? '');
    const steps = [
      [PAYS_AFTER_MS, () => carrier.pay(quote)],
      [STEP_MS, () => carrier.execute(quote)],
      [STEP_MS, () => (story.end === 'COMPLETED' ? carrier.complete(quote) : carrier.sendBack(quote))],
    ] as const;
    void this.player.play(steps, 1);
  }

  async disturb(accounts: readonly Account[], say: (text: string) => void): Promise<void> {
    const carrier = this.carrier(DIES);
    const others = accounts.filter(({ provider }) => provider !== DIES);
    await this.player.pause(DIES_AFTER_MS);
    say(`${DIES} dies: it refuses connections, and the payments of the others go on`);
    await carrier.die();
    while (!this.isClosed && !others.every(hasEnded)) await this.player.pause(LOOK_EVERY_MS);
    if (this.isClosed) return;
    say(`${DIES} is back`);
    await carrier.comeBack();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.player.stop();
    await Promise.all(this.carriers.map((carrier) => carrier.close()));
  }

  private carrier(provider: string): Carrier {
    const found = this.carriers.find(({ name }) => name === provider);
    if (found === undefined) throw new Error(`The demo has no provider "${provider}".`);
    return found;
  }
}

function hasEnded({ story, webhooks }: Account): boolean {
  return webhooks.at(-1)?.data.status === story.end;
}
