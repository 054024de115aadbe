import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const OPEN = 'paybell:open';

/** Marks a controller or handler that answers without an API key; all others need one. */
export const Open = (): CustomDecorator => SetMetadata(OPEN, true);
