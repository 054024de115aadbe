import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { readClientSettings, type ClientSettings } from '../../config/client-settings.ts';
import { Config } from '../../config/config.ts';
import { PROVIDERS } from '../../providers/registered-providers.ts';
import { ExitStatus, wordsOf } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { ADVICE } from './advice.ts';
import { examineBroker } from './broker.ts';
import { examineDatabase } from './database.ts';
import { examineDisk } from './disk.ts';
import { asText, type Finding, Findings, isGood, LIMIT_MS, type Place } from './findings.ts';
import { examineProviders } from './provider.ts';
import { examineProof } from './proof.ts';
import { examineService } from './service.ts';

interface Part {
  readonly name: string;
  readonly place: Place;
  /** The remedy if the part does not answer in time. */
  readonly advice: string;
  readonly examine: (findings: Findings) => Promise<void>;
}

/** The time limit for all requests of a part. */
const PART_LIMIT_MS = LIMIT_MS + 300;

/** Prints the findings, those about the running Paybell first; the exit status is 1 if something is wrong. */
export async function examine(isJson: boolean): Promise<void> {
  const service = new Findings('service');
  const shell = new Findings('shell');
  const client = clientIn(shell);
  const config = configIn(shell);
  const isNamed = client?.isNamed === true;
  const parts = [...servicePart(client), ...partsFor(config, isNamed, shell)];
  if (!isNamed) service.off('service', 'not asked: PAYBELL_URL does not say where it is');
  const found = await withProgress('Checks', parts.length, (advance) =>
    Promise.all(
      parts.map(async (part) => {
        const answered = await examinedInTime(part);
        advance();
        return answered;
      }),
    ),
  );
  const all = [...service.list, ...shell.list, ...found.flatMap(({ list }) => list)];
  const checks = [...all.filter(isOfService), ...all.filter((finding) => !isOfService(finding))];
  await print(isJson ? `${JSON.stringify({ good: isGood(checks), checks })}\n` : asText(checks));
  process.exitCode = isGood(checks) ? ExitStatus.done : ExitStatus.failed;
  // An open connection of a late part would keep the process alive.
  if (found.some(({ isLate }) => isLate)) process.exit();
}

async function examinedInTime(part: Part): Promise<{ list: readonly Finding[]; isLate: boolean }> {
  const findings = new Findings(part.place);
  const stopping = new AbortController();
  const isLate = await Promise.race([
    part.examine(findings).then(() => false),
    sleep(PART_LIMIT_MS, true, { signal: stopping.signal }).catch(() => true),
  ]);
  stopping.abort();
  // A copy: later results belong to no finding.
  const late = new Findings(part.place);
  if (isLate) late.wrong(part.name, `no answer in ${PART_LIMIT_MS / 1_000} s`, part.advice);
  return { list: [...findings.list, ...late.list], isLate };
}

function isOfService({ place }: Finding): boolean {
  return place === 'service';
}

function servicePart(client: ClientSettings | null): readonly Part[] {
  if (client === null || !client.isNamed) return [];
  const examine = (findings: Findings): Promise<void> =>
    examineService(client, findings, AbortSignal.timeout(LIMIT_MS));
  return [{ name: 'service', place: 'service', advice: ADVICE.service, examine }];
}

function clientIn(findings: Findings): ClientSettings | null {
  try {
    return readClientSettings(process.env);
  } catch (error) {
    findings.wrong('client', wordsOf(error), ADVICE.client);
    return null;
  }
}

/** If PAYBELL_URL names a Paybell elsewhere, this environment has none of its parts. */
function partsFor(config: Config | null, isServiceNamed: boolean, findings: Findings): readonly Part[] {
  if (config === null) return [];
  const isEmbedded = config.databaseUrls === null;
  const hasDatabase = !isEmbedded || existsSync(join(config.dataDir, 'postgres'));
  if (!hasDatabase && isServiceNamed) {
    findings.off('database', 'not here: neither DATABASE_URL nor an embedded database in DATA_DIR');
    return [];
  }
  const database = isEmbedded ? ADVICE.embedded : ADVICE.database;
  return (
    [
      ['database', database, examineDatabase],
      ['disk', ADVICE.dataDir, examineDisk],
      ['broker', ADVICE.broker, examineBroker],
      ['provider', ADVICE.provider, examineProviders],
      ['proof', ADVICE.rpc, examineProof],
    ] as const
  ).map(([name, advice, part]) => ({
    name,
    place: 'shell',
    advice,
    examine: (found) => part(config, found),
  }));
}

function configIn(findings: Findings): Config | null {
  try {
    const config = new Config(process.env, PROVIDERS);
    const roles = [...config.roles].join(', ');
    findings.ok('configuration', `provider ${config.providers.join(', ')}, roles ${roles}`);
    for (const warning of config.warnings) findings.warning('configuration', warning, ADVICE.configuration);
    return config;
  } catch (error) {
    findings.wrong('configuration', wordsOf(error), ADVICE.configuration);
    return null;
  }
}
