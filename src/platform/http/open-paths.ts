import type { OpenSetting } from './open-route.ts';

/** Which of the places with a setting of their own answer without an API key. */
export class OpenPaths {
  constructor(readonly settings: ReadonlySet<OpenSetting>) {}
}
