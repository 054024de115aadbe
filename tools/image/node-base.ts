import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A folder with the Node of an image `node:VERSION-…`, which the npm package `node` has; the rest is this machine's. */
export async function nodeBase(image: string, folder: string): Promise<string> {
  const [, version] = /^node:(\d+\.\d+\.\d+)-/.exec(image) ?? [];
  if (version === undefined) throw new Error(`FROM ${image} is not node:VERSION-…`);
  const [packages, base] = [join(folder, 'node-package'), join(folder, 'base')];
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', packages];
  await mkdir(packages, { recursive: true });
  await promisify(execFile)('npm', [...args, `node@${version}`]);
  await mkdir(join(base, 'usr/local/bin'), { recursive: true });
  await copyFile(join(packages, 'node_modules/node/bin/node'), join(base, 'usr/local/bin/node'));
  return base;
}
