import { spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';

import { type BuiltImage, PATH } from './build-image.ts';

/** What starts a process of an image: the whole command, and the environment that the image gives it. */
export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface LaunchOptions {
  /** `UID:GID` in place of the image's. */
  readonly user?: string;
  /** In place of the image's. */
  readonly command?: readonly string[];
  readonly workdir?: string;
}

/** Without rights and on a read-only tree, but for the image's volume, as `docker run --read-only --cap-drop ALL` starts it. */
export function launchOf(
  { layer, settings }: BuiltImage,
  { user = settings.user, command = settings.command, workdir = settings.workdir }: LaunchOptions = {},
): Launch {
  const [volume = ''] = settings.volumes;
  return {
    command: layer.commandFor(command, { workdir, user, isReadOnly: true, volume }),
    // An engine gives a user without an entry in /etc/passwd this home, and each container a network of its own.
    env: { ...settings.env, HOST: '127.0.0.1', HOME: '/', PATH },
  };
}

/** As `docker run --volume` with a folder of that user. */
export async function giveVolumeTo({ layer }: BuiltImage, user: string): Promise<void> {
  const [uid, gid] = user.split(':').map(Number);
  await chown(layer.volumeFolder, uid ?? 0, gid ?? 0);
}

/** Why this machine can't follow a Dockerfile; null if it can. */
export function whyNoImages(): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount';
  const trial = `mount -t tmpfs tmpfs /mnt && cd /mnt && mkdir changes work root &&
    mount -t overlay overlay -o lowerdir=/,upperdir=changes,workdir=work root && setpriv --version && tini --version`;
  const { status } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', trial], {
    stdio: 'ignore',
  });
  return status === 0 ? null : 'overlays, setpriv or tini are not to be had here';
}
