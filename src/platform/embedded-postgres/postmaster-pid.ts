import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The content of the lock file that a PostgreSQL server writes into its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

export function postmasterPidFile(dir: string): string {
  return join(dir, 'postmaster.pid');
}

/** Null when there is no lock file. An unreadable file yields pid 0, which no process has. */
export function readPostmaster(dir: string): Postmaster | null {
  let text: string;
  try {
    text = readFileSync(postmasterPidFile(dir), 'utf8');
  } catch {
    return null;
  }
  const [pid, , , port] = text.split('\n').map((line) => Number.parseInt(line, 10));
  return { pid: pid !== undefined && pid > 0 ? pid : 0, port: port !== undefined && port > 0 ? port : 0 };
}

export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** True if `pid` is a living PostgreSQL on `dir`, and not another process that reuses the id of a dead one. */
export function isPostgresOn(dir: string, pid: number): boolean {
  if (!isAlive(pid)) return false;
  return process.platform === 'linux' ? isOnLinux(dir, pid) : isByCommandLine(dir, pid);
}

/** The working folder of PostgreSQL is its data folder. A zombie has no working folder. */
function isOnLinux(dir: string, pid: number): boolean {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return name === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dir);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' && isByCommandLine(dir, pid);
  }
}

function isByCommandLine(dir: string, pid: number): boolean {
  try {
    const command = execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(dir);
  } catch {
    return false;
  }
}
