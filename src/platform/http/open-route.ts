import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const OPEN = 'paybell:open';

/** The settings METRICS and DOCS, which decide who may read the metrics and the API's description. */
export type OpenSetting = 'metrics' | 'docs';

/** Marks a controller or handler that needs no API key; all others need one. */
export const Open = (): CustomDecorator => SetMetadata(OPEN, true);

/** Marks a controller or handler that needs no API key when this setting is `open`. */
export const OpenBy = (setting: OpenSetting): CustomDecorator => SetMetadata(OPEN, setting);
