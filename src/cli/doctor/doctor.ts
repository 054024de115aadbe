import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readClientSettings, type ClientSettings } from '../../config/client-settings.ts';
import { Config } from '../../config/config.ts';
import { PROVIDERS } from '../../providers/registered-providers.ts';
import { ExitStatus, wordsOf } from '../output/exit-status.ts';
import { print } from '../output/print.ts';
import { withProgress } from '../output/progress.ts';
import { ADVICE } from './advice.ts';
import {
  asText,
  type Examination,
  type Finding,
  Findings,
  isGood,
  type Place,
  type Screen,
} from './findings.ts';
import { inTime, LIMIT_MS } from './in-time.ts';

interface Part {
  readonly name: string;
  readonly place: Place;
  /** The remedy if the part does not answer. */
  readonly advice: string;
  readonly load: () => Promise<Examination>;
}

/** The time limit for all requests of a part. */
const PART_LIMIT_MS = LIMIT_MS + 300;
/** In a pipe too: who reads it later has a screen. */
const SCREEN_ROWS = 24;

/** Prints the findings, those about the running Paybell first; the exit status is 1 if something is wrong. */
export async function examine(isJson: boolean, isWhole: boolean): Promise<void> {
  const service = new Findings('service');
  const shell = new Findings('shell');
  const client = clientIn(shell);
  const config = configIn(shell);
  const isNamed = client?.isNamed === true;
  const parts = [...servicePart(client), ...partsFor(config, isNamed, shell)];
  if (!isNamed) service.off('service', 'not asked: PAYBELL_URL does not say where it is');
  // Before any request: loading takes much of a busy machine's time, in which no answer is read.
  const loaded = await Promise.all(parts.map(async (part) => [part, await part.load()] as const));
  const found = await withProgress('Checks', parts.length, (advance) =>
    Promise.all(
      loaded.map(async ([part, examination]) => {
        const answered = await examinedInTime(part, examination);
        advance();
        return answered;
      }),
    ),
  );
  const all = [...service.list, ...shell.list, ...found.flatMap(({ list }) => list)];
  const checks = [...all.filter(isOfService), ...all.filter((finding) => !isOfService(finding))];
  await print(
    isJson
      ? `${JSON.stringify({ good: isGood(checks), checks })}\n`
      : asText(checks, isWhole ? null : screen()),
  );
  process.exitCode = isGood(checks) ? ExitStatus.done : ExitStatus.failed;
  // A request without an answer would keep the process alive.
  if (found.some(({ isLate }) => isLate)) process.exit();
}

function screen(): Screen {
  const { rows, columns } = process.stdout;
  // A terminal that does not know its size has 0 columns.
  return process.stdout.isTTY
    ? { rows: Math.max(rows, SCREEN_ROWS), columns: columns === 0 ? Infinity : columns }
    : { rows: SCREEN_ROWS, columns: Infinity };
}

async function examinedInTime(
  part: Part,
  examination: Examination,
): Promise<Pick<Findings, 'list' | 'isLate'>> {
  const findings = new Findings(part.place);
  try {
    await inTime(examination(findings), PART_LIMIT_MS);
  } catch (error) {
    findings.failed(part.name, error, part.advice);
  }
  // A copy: later results belong to no finding.
  return { list: [...findings.list], isLate: findings.isLate };
}

function isOfService({ place }: Finding): boolean {
  return place === 'service';
}

function servicePart(client: ClientSettings | null): readonly Part[] {
  if (client === null || !client.isNamed) return [];
  const load = async (): Promise<Examination> => {
    const { examineService } = await import('./service.ts');
    return (findings) => examineService(client, findings, AbortSignal.timeout(LIMIT_MS));
  };
  return [{ name: 'service', place: 'service', advice: ADVICE.service, load }];
}

function clientIn(findings: Findings): ClientSettings | null {
  try {
    return readClientSettings(process.env);
  } catch (error) {
    findings.wrong('client', wordsOf(error), ADVICE.client);
    return null;
  }
}

/** Only the parts that are examined are loaded. If PAYBELL_URL names a Paybell elsewhere, this environment has none of its parts. */
function partsFor(config: Config | null, isServiceNamed: boolean, findings: Findings): readonly Part[] {
  if (config === null) return [];
  const isEmbedded = config.databaseUrls === null;
  const hasDatabase = !isEmbedded || existsSync(join(config.dataDir, 'postgres'));
  if (!hasDatabase && isServiceNamed) {
    findings.off('database', 'not here: neither DATABASE_URL nor an embedded database in DATA_DIR');
    return [];
  }
  const database = isEmbedded ? ADVICE.embedded : ADVICE.database;
  const of =
    (examine: (config: Config, findings: Findings) => Promise<void>): Examination =>
    (found) =>
      examine(config, found);
  return (
    [
      ['database', database, async () => of((await import('./database.ts')).examineDatabase)],
      ['disk', ADVICE.dataDir, async () => of((await import('./disk.ts')).examineDisk)],
      ['broker', ADVICE.broker, async () => of((await import('./broker.ts')).examineBroker)],
      ['provider', ADVICE.provider, async () => (await import('./provider.ts')).providersExamination(config)],
      ['proof', ADVICE.rpc, async () => (await import('./proof.ts')).proofExamination(config)],
    ] as const
  ).map(([name, advice, load]) => ({ name, place: 'shell', advice, load }));
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
