import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const OPEN = 'paybell:open';

/** Settings that say who may read a place: METRICS and DOCS. */
export type OpenSetting = 'metrics' | 'docs';

/** Marks a controller or handler that answers without an API key; all others need one. */
export const Open = (): CustomDecorator => SetMetadata(OPEN, true);

/** Marks one that answers without an API key where this setting says so. */
export const OpenBy = (setting: OpenSetting): CustomDecorator => SetMetadata(OPEN, setting);
