import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { describeWith } from '../support/describe-with.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const OWN = `ghcr.io/shop/paybell@sha256:${'cd'.repeat(32)}`;
/** Replaces a container engine's registry: every image has the same digest. */
const DOCKER = `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] || exit 1\necho "$6" >>"$ASKED"\necho "$ANSWER"\n`;

describe('tools/release/pin-digests.js', () => {
  let folder: string;

  function pin(answer = DIGEST): void {
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      ASKED: join(folder, 'asked'),
      ANSWER: answer,
    };
    execFileSync(process.execPath, ['tools/release/pin-digests.js', folder, OWN], { env, stdio: 'pipe' });
  }

  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'paybell-pin-'));
    for (const name of ['Dockerfile', 'docker-compose.yml', 'deploy'])
      cpSync(name, join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
    expect(() => pin('not found')).toThrow('has no digest');
    pin();
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('asks for exact tags only', () => {
    const asked = read('asked').trim().split('\n');
    expect(asked.length).toBeGreaterThan(5);
    for (const image of asked) expect(image).toMatch(/:\d+\.\d+(?:\.\d+)?(?:-[a-z-]+)?$/);
  });

  it('leaves no image without its digest', () => {
    expect(read('Dockerfile').match(/^FROM \S+/gm)).toEqual(
      Array(2).fill(expect.stringMatching(`^FROM node:.*@${DIGEST}$`)),
    );
    expect(read('docker-compose.yml').match(/image: (?:postgres|rabbitmq):\S+/g)).toEqual(
      Array(2).fill(expect.stringContaining(`@${DIGEST}`)),
    );
    for (const name of ['cloudnative-pg', 'rabbitmq-cluster'])
      expect(read(`deploy/kubernetes/examples/${name}.yaml`)).toContain(`@${DIGEST}\n`);
  });

  describeWith('kubectl', 'and Kubernetes', (kubectl) => {
    it('starts the release’s own image by its digest', () => {
      const overlay = join(folder, 'deploy/kubernetes/overlays/one-node');
      const images = execFileSync(kubectl, ['kustomize', overlay], { encoding: 'utf8' }).match(/image: .*/g);
      expect(images).toEqual(Array(3).fill(`image: ${OWN}`));
    });
  });
});
