import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

import { ApiKeys, type StoredKey } from '../../ports/api-keys.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { EnvKeys, hashOf } from './env-keys.ts';
import { ApiKeyVerifier } from './api-key-verifier.ts';
import { newKey } from './new-key.ts';

const FIRST_KEY_NAME = 'default';
const FIRST_KEY_ROLE = 'admin';

/** Where the first key signs a person in; null if this process does not know. */
export class FirstKeySettings {
  constructor(readonly dashboardUrl: string | null) {}
}

/** Shows the first key on standard output; tests replace it. */
export class KeyDisplay {
  /** Calls `onLost` if the key cannot be written, as on a full disk. */
  show(text: string, onLost: () => void): void {
    process.stdout.write(text, (error) => {
      if (error instanceof Error) onLost();
    });
  }
}

/** Generates an API key at the first start. */
@Injectable()
export class FirstKey implements OnModuleInit {
  private readonly log = new Logger(FirstKey.name);

  constructor(
    private readonly envKeys: EnvKeys,
    private readonly apiKeys: ApiKeys,
    private readonly apiKeyVerifier: ApiKeyVerifier,
    private readonly display: KeyDisplay,
    private readonly database: DatabaseHealth,
    private readonly settings: FirstKeySettings,
  ) {}

  onModuleInit(): void {
    this.database.beforeReady(() => this.ensureKey());
  }

  /** Makes and shows a key when there is none, in one replica only. */
  async ensureKey(): Promise<void> {
    this.reportEnvKeys();
    const stored = await this.apiKeys.list();
    this.reportSharedNames(stored);
    if (this.envKeys.keys.length > 0 || stored.length > 0) return;
    const secret = newKey();
    const hash = hashOf(secret);
    const isOurs = await this.apiKeys.addKey(FIRST_KEY_NAME, hash.toString('hex'), FIRST_KEY_ROLE);
    if (!isOurs) return;
    this.apiKeyVerifier.remember({ name: FIRST_KEY_NAME, hash, role: FIRST_KEY_ROLE });
    this.display.show(blockOf(secret, this.settings.dashboardUrl), () => void this.takeBack());
  }

  /** The next start makes another key: otherwise no person would know the only key. */
  private async takeBack(): Promise<void> {
    this.log.error('the first API key could not be shown, and is removed: the next start makes another one');
    await this.apiKeys
      .remove(FIRST_KEY_NAME)
      .catch((error: Error) =>
        this.log.error(`the key "${FIRST_KEY_NAME}" is still stored: ${error.message}`),
      );
  }

  /** If the last part of a secret is a role's word, it is the role: a person who did not mean this sees it here. */
  private reportEnvKeys(): void {
    const roles = this.envKeys.keys.map(({ name, role }) => `${name} (${role})`);
    if (roles.length > 0) this.log.log(`API_KEYS has ${roles.join(', ')}`);
    for (const name of this.envKeys.shortNames)
      this.log.warn(`the API key "${name}" of API_KEYS has fewer than 16 characters and can be guessed`);
  }

  /** Both keys work, as before the setting got this name: only a person can say which key is meant. */
  private reportSharedNames(stored: readonly StoredKey[]): void {
    const names = new Set(stored.map(({ name }) => name));
    for (const { name } of this.envKeys.keys)
      if (names.has(name))
        this.log.warn(
          `API_KEYS and the database each have an API key named "${name}". Both are accepted, and the audit log cannot ` +
            `tell them apart: rename that of API_KEYS, or revoke the other with "paybell keys revoke ${name}"`,
        );
  }
}

/** The text that shows the key once to the person who starts the service. It is not a log line, since logs are kept. */
function blockOf(secret: string, dashboardUrl: string | null): string {
  const rule = '─'.repeat(74);
  return [
    '',
    rule,
    '  The API key of this Paybell, shown only now. Keep it: only its hash is stored.',
    '',
    `    ${secret}`,
    '',
    '  Send it with every request:   x-api-key: KEY   or   Authorization: Bearer KEY',
    ...(dashboardUrl === null ? [] : [`  Sign in to the dashboard with it:   ${dashboardUrl}`]),
    rule,
    '',
    '',
  ].join('\n');
}
