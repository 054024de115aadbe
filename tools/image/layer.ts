import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const UID = /^\d+$/;

/** Mounts the layer over this machine's root, with the checkout and /tmp hidden, and becomes a command in it. */
const ENTER = `
set -eu
layer="$1"; hidden="$2"; access="$3"; volume="$4"; workdir="$5"; shift 5
root="$layer/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/changes,workdir=$layer/work" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
if [ -d "$root$hidden" ]; then mount -t tmpfs tmpfs "$root$hidden"; fi
if [ "$access" = read-only ]; then
  for place in "$root/tmp" "$root$hidden" "$root"; do
    if mountpoint --quiet "$place"; then mount -o remount,ro "$place"; fi
  done
  if [ -n "$volume" ]; then mount --bind "$layer/volume" "$root$volume"; fi
fi
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$workdir" "$@"
`;

export interface Entry {
  readonly workdir: string;
  readonly user: string;
  /** Whether the whole tree but the volume refuses writing. */
  readonly isReadOnly?: boolean;
  /** A folder that stays writable, such as /data. */
  readonly volume?: string;
}

/** The file system of a stage: what its instructions changed, over that of this machine. */
export class Layer {
  private constructor(
    private readonly folder: string,
    private readonly hidden: string,
  ) {}

  /** `hidden`: the checkout, of which nothing may be seen. */
  static async make(folder: string, hidden: string): Promise<Layer> {
    for (const name of ['changes', 'work', 'root', 'volume'])
      await mkdir(join(folder, name), { recursive: true });
    return new Layer(folder, hidden);
  }

  /** Where a path of the stage is, if an instruction made it. */
  pathOf(path: string): string {
    return join(this.folder, 'changes', path);
  }

  /** What a volume keeps. */
  get volumeFolder(): string {
    return join(this.folder, 'volume');
  }

  /** A command that becomes the given one inside the stage, as that user and without any capability. */
  commandFor(
    command: readonly string[],
    { workdir, user, isReadOnly = false, volume = '' }: Entry,
  ): string[] {
    const access = isReadOnly ? 'read-only' : 'writable';
    const unshared = ['unshare', '--mount', '--propagation', 'private', 'bash', '-c', ENTER, 'enter'];
    return unshared.concat(this.folder, this.hidden, access, volume, workdir, userChange(user), command);
  }

  run(command: readonly string[], entry: Entry, env: Readonly<Record<string, string>>): Promise<void> {
    const [program = '', ...args] = this.commandFor(command, entry);
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0
          ? resolve()
          : reject(new Error(`${command.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`)),
      );
    });
  }
}

function userChange(user: string): string[] {
  if (user === 'root') return [];
  const [uid = '', gid = uid] = user.split(':');
  if (!UID.test(uid) || !UID.test(gid)) throw new Error(`USER ${user} is not a number`);
  const become = ['--reuid', uid, '--regid', gid, '--clear-groups'];
  return ['setpriv', ...become, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
}
