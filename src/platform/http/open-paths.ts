import type { OpenSetting } from './open-route.ts';

/** The settings with the value `open`: routes marked `@OpenBy` one of them need no API key. */
export class OpenPaths {
  constructor(readonly settings: ReadonlySet<OpenSetting>) {}
}
