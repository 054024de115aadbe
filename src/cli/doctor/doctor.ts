import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readClientSettings, type ClientSettings } from '../../config/client-settings.ts';
import { Config } from '../../config/config.ts';
import { PROVIDERS } from '../../providers/registered-providers.ts';
import { ExitStatus, wordsOf } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { examineBroker } from './broker.ts';
import { examineDatabase } from './database.ts';
import { examineDisk } from './disk.ts';
import { asText, Findings, isGood } from './findings.ts';
import { examineProvider } from './provider.ts';
import { examineRpcs } from './rpcs.ts';
import { examineService } from './service.ts';

const PARTS = [examineDatabase, examineDisk, examineBroker, examineProvider, examineRpcs] as const;

/** Prints what is found, first of the running Paybell; the exit status is 1 where something is wrong. */
export async function examine(isJson: boolean): Promise<void> {
  const service = new Findings('service');
  const shell = new Findings('shell');
  const client = clientIn(shell);
  const isNamed = client?.isNamed === true;
  const config = configIn(shell);
  await withProgress('Checks', null, async (advance) => {
    if (isNamed) await examineService(client, service);
    else service.off('service', 'not asked: PAYBELL_URL does not say where it is');
    for (const part of partsFor(config, isNamed, shell)) {
      await part();
      advance();
    }
  });
  const checks = [...service.list, ...shell.list];
  const good = isGood(checks);
  await print(isJson ? `${JSON.stringify({ good, checks })}\n` : asText(checks));
  process.exitCode = good ? ExitStatus.done : ExitStatus.failed;
}

function clientIn(findings: Findings): ClientSettings | null {
  try {
    return readClientSettings(process.env);
  } catch (error) {
    findings.wrong('client', wordsOf(error), 'Correct these variables: docs/running/cli.md has them.');
    return null;
  }
}

/** Where PAYBELL_URL names a Paybell elsewhere, this environment has none of its parts. */
function partsFor(
  config: Config | null,
  isServiceNamed: boolean,
  findings: Findings,
): readonly (() => Promise<void>)[] {
  if (config === null) return [];
  const hasDatabase = config.databaseUrls !== null || existsSync(join(config.dataDir, 'postgres'));
  if (hasDatabase || !isServiceNamed) return PARTS.map((part) => () => part(config, findings));
  findings.off('database', 'not here: neither DATABASE_URL nor an embedded database in DATA_DIR');
  return [];
}

function configIn(findings: Findings): Config | null {
  try {
    const config = new Config(process.env, PROVIDERS);
    findings.ok(
      'configuration',
      `provider ${config.providers.join(', ')}, roles ${[...config.roles].join(', ')}`,
    );
    for (const warning of config.warnings)
      findings.warning('configuration', warning, 'docs/running/configuration.md has each with its values.');
    return config;
  } catch (error) {
    const advice = 'Correct these variables: docs/running/configuration.md has each with its values.';
    findings.wrong('configuration', wordsOf(error), advice);
    return null;
  }
}
