import { SecretBox, SecretUnreadable } from './secret-box.ts';

/** A signing secret of an endpoint, and when it stops signing; null: it signs until it is replaced. */
interface EndpointSecret {
  readonly secret: string;
  readonly expiresAt: string | null;
}

/** A row's secrets after decryption. */
interface Opened {
  readonly sealed: string;
  readonly secrets: readonly EndpointSecret[];
}

/** The newest secret and four former ones: each adds a signature to every request. */
const MAX_SECRETS = 5;

/** Encrypts ("seals") an endpoint's secrets for its row and decrypts ("opens") them again. */
export class EndpointSecrets {
  /** Keyed by endpoint: secrets copied into another endpoint's row stay unreadable. */
  private opened = new Map<string, Opened>();

  constructor(private readonly box: SecretBox) {}

  first(secret: string, endpointId: string): string {
    return this.seal([{ secret, expiresAt: null }], endpointId);
  }

  /** Puts `secret` first. Former secrets that sign at `now` sign until `until` at the latest. Throws SecretUnreadable. */
  rotated(sealed: string, endpointId: string, secret: string, now: Date, until: Date): string {
    const former = validAt(now, this.read(sealed, endpointId)).map((each) => ({
      secret: each.secret,
      expiresAt: each.expiresAt ?? until.toISOString(),
    }));
    return this.seal([{ secret, expiresAt: null }, ...former].slice(0, MAX_SECRETS), endpointId);
  }

  /** Returns the secrets that sign at `now`, the newest first. Throws SecretUnreadable. */
  open(sealed: string, endpointId: string, now: Date): string[] {
    return secretsOf(validAt(now, this.read(sealed, endpointId)));
  }

  /** Until when a former secret signs beside the newest; null: no former one does. Throws SecretUnreadable. */
  formerUntil(sealed: string, endpointId: string, now: Date): Date | null {
    const ends = validAt(now, this.read(sealed, endpointId)).flatMap(({ expiresAt }) => expiresAt ?? []);
    return ends.length === 0 ? null : new Date(Math.max(...ends.map((end) => Date.parse(end))));
  }

  /** Whether this process can decrypt the secrets. */
  isReadable(sealed: string, endpointId: string): boolean {
    try {
      this.read(sealed, endpointId);
      return true;
    } catch (error) {
      if (error instanceof SecretUnreadable) return false;
      throw error;
    }
  }

  /** Does the same as `open`, but decrypts only once while the result is kept. */
  openKept(sealed: string, endpointId: string, now: Date): string[] {
    const kept = this.opened.get(endpointId);
    const secrets = kept?.sealed === sealed ? kept.secrets : this.read(sealed, endpointId);
    this.opened.set(endpointId, { sealed, secrets });
    return secretsOf(validAt(now, secrets));
  }

  /** Keeps the decrypted secrets of these endpoints only. */
  keep(endpointIds: readonly string[]): void {
    const kept = new Set(endpointIds);
    this.opened = new Map([...this.opened].filter(([id]) => kept.has(id)));
  }

  private seal(secrets: readonly EndpointSecret[], endpointId: string): string {
    return this.box.seal(JSON.stringify(secrets), endpointId);
  }

  private read(sealed: string, endpointId: string): readonly EndpointSecret[] {
    return JSON.parse(this.box.open(sealed, endpointId)) as EndpointSecret[];
  }
}

function validAt(now: Date, secrets: readonly EndpointSecret[]): readonly EndpointSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

function secretsOf(secrets: readonly EndpointSecret[]): string[] {
  return secrets.map(({ secret }) => secret);
}
