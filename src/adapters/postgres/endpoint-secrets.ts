import { SecretBox } from './secret-box.ts';

/** A signing secret of an endpoint, and until when it signs; null: until it is replaced. */
interface EndpointSecret {
  readonly secret: string;
  readonly expiresAt: string | null;
}

/** Seals an endpoint's secrets for its row and opens them again, each sealed text only once. */
export class EndpointSecrets {
  private opened = new Map<string, readonly EndpointSecret[]>();

  constructor(private readonly box: SecretBox) {}

  seal(secrets: readonly EndpointSecret[], endpointId: string): string {
    return this.box.seal(JSON.stringify(secrets), endpointId);
  }

  /** The secrets that sign at `now`, the newest first. Throws SecretUnreadable. */
  open(sealed: string, endpointId: string, now: Date): string[] {
    let secrets = this.opened.get(sealed);
    if (secrets === undefined) {
      secrets = JSON.parse(this.box.open(sealed, endpointId)) as EndpointSecret[];
      this.opened.set(sealed, secrets);
    }
    const valid = secrets.filter(
      ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime(),
    );
    return valid.map(({ secret }) => secret);
  }

  /** Forgets all but these. */
  keep(sealed: readonly string[]): void {
    const kept = new Set(sealed);
    this.opened = new Map([...this.opened].filter(([each]) => kept.has(each)));
  }
}
