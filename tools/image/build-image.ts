import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';

import { BuildContext, copyInto } from './build-context.ts';
import { expand, type ImageSettings, type Instruction, pairsOf, parseDockerfile } from './dockerfile.ts';
import { Layer } from './layer.ts';

/** Known to an engine, and without a meaning for a build without one. */
const NOTED = new Set(['EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK']);
/** As the images of Debian have it. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface BuiltImage {
  readonly layer: Layer;
  readonly settings: ImageSettings;
}

interface BuildOptions {
  /** The checkout with its Dockerfile. */
  readonly root: string;
  /** An empty folder for the stages. */
  readonly folder: string;
  /** A folder to copy over this machine's root in place of the image of FROM. */
  readonly base: (image: string) => Promise<string>;
  readonly say: (line: string) => void;
}

/** Follows a Dockerfile instruction by instruction, each stage in an overlay of this machine's root. */
export class ImageBuild {
  private readonly layers = new Map<string, Layer>();
  private readonly bases = new Map<string, string>();
  private entrypoint: readonly string[] = [];
  private layer: Layer | null = null;
  private settings: ImageSettings = emptySettings();

  private constructor(
    private readonly options: BuildOptions,
    private readonly context: BuildContext,
  ) {}

  static async run(options: BuildOptions): Promise<BuiltImage> {
    return new ImageBuild(options, await BuildContext.open(options.root)).build();
  }

  private async build(): Promise<BuiltImage> {
    const text = await readFile(join(this.options.root, 'Dockerfile'), 'utf8');
    for (const [index, stage] of parseDockerfile(text).entries()) {
      const { root, folder, say } = this.options;
      say(`FROM ${stage.image}`);
      this.settings = emptySettings();
      this.layer = await Layer.make(join(folder, `stage-${index}`), root);
      await copyInto([await this.baseOf(stage.image)], this.layer.pathOf('/'), true, true);
      if (stage.name !== null) this.layers.set(stage.name, this.layer);
      for (const instruction of stage.instructions) await this.follow(instruction);
    }
    const { layer, settings } = this;
    if (layer === null) throw new Error('the Dockerfile has no FROM');
    for (const volume of settings.volumes) await keepOwner(layer.pathOf(volume), layer.volumeFolder);
    return { layer, settings: { ...settings, command: [...this.entrypoint, ...settings.command] } };
  }

  private async baseOf(image: string): Promise<string> {
    const base = this.bases.get(image) ?? (await this.options.base(image));
    this.bases.set(image, base);
    return base;
  }

  private async follow({ name, rest, line }: Instruction): Promise<void> {
    this.options.say(`${name} ${rest}`);
    const { settings } = this;
    if (name === 'ENV') Object.assign(settings.env, pairsOf(expand(rest, settings.env)));
    else if (name === 'WORKDIR') await this.enterFolder(rest);
    else if (name === 'COPY') await this.copy(rest);
    else if (name === 'RUN') await this.current.run(['/bin/sh', '-c', rest], settings, this.runEnvironment);
    else if (name === 'USER') settings.user = rest;
    else if (name === 'VOLUME') settings.volumes.push(rest);
    else if (name === 'ENTRYPOINT') this.entrypoint = JSON.parse(rest) as string[];
    else if (name === 'CMD') settings.command = JSON.parse(rest) as string[];
    else if (!NOTED.has(name)) throw new Error(`Dockerfile:${line}: ${name} is not known here`);
  }

  private get current(): Layer {
    if (this.layer === null) throw new Error('no stage has begun');
    return this.layer;
  }

  private get runEnvironment(): Record<string, string> {
    // The cache of this machine's npm is below the stage: what it has need not be fetched again.
    return { PATH, HOME: '/root', npm_config_prefer_offline: 'true', ...this.settings.env };
  }

  private async enterFolder(path: string): Promise<void> {
    this.settings.workdir = this.resolve(path);
    if (
      await stat(path).then(
        () => true,
        () => false,
      )
    )
      throw new Error(`this machine has ${path} itself, which would be seen in the image`);
    await mkdir(this.current.pathOf(path), { recursive: true });
  }

  private async copy(rest: string): Promise<void> {
    const [, from, paths = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? [];
    const sources = paths.split(/\s+/);
    const target = sources.pop() ?? '';
    const source = from === undefined ? null : this.layers.get(from);
    if (source === undefined) throw new Error(`COPY --from=${from}: there is no such stage`);
    const places = sources.map((each) => (source === null ? this.context.pathOf(each) : source.pathOf(each)));
    await copyInto(
      places,
      this.current.pathOf(this.resolve(target)),
      target.endsWith('/') || places.length > 1,
      source !== null,
    );
  }

  private resolve(path: string): string {
    return isAbsolute(path) ? path : posix.join(this.settings.workdir, path);
  }
}

function emptySettings(): ImageSettings {
  return { env: {}, workdir: '/', user: 'root', command: [], volumes: [] };
}

/** A new volume has the owner of the folder that the image has in its place. */
async function keepOwner(from: string, to: string): Promise<void> {
  const { uid, gid, mode } = await stat(from);
  await chown(to, uid, gid);
  await chmod(to, mode);
}
