import type { OpenSetting } from './open-route.ts';

/** The settings that are `open`: the routes marked with `@OpenBy` one of them need no API key. */
export class OpenPaths {
  constructor(readonly settings: ReadonlySet<OpenSetting>) {}
}
