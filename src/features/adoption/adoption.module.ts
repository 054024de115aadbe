import { Global, Module } from '@nestjs/common';

import { Adoption } from './adoption.ts';

/** Tracks payments whose quotes were made elsewhere. */
@Global()
@Module({ providers: [Adoption], exports: [Adoption] })
export class AdoptionModule {}
