import { readClientSettings } from '../../config/client-settings.ts';
import { CommandError, ExitStatus } from '../output/exit-status.ts';
import { untilInterrupted } from '../output/interruption.ts';
import { ApiClient } from './api-client.ts';

/** The tools of a command that uses a running Paybell. */
export interface Session {
  readonly api: ApiClient;
  /** Aborted by Ctrl-C and the other signals to stop. */
  readonly signal: AbortSignal;
}

const NO_KEY =
  'PAYBELL_API_KEY is not set. `paybell keys add NAME --role ROLE` beside the database makes a key; docs/running/cli.md has the role that each command needs.';

/** Throws CommandError when the environment does not name a Paybell and a key. */
export function openSession(): Session {
  const { url, apiKey } = readClientSettings(process.env);
  if (apiKey === null) throw new CommandError(NO_KEY, ExitStatus.usage);
  const signal = untilInterrupted();
  return { api: new ApiClient(url, apiKey, signal), signal };
}
