import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow, Audited } from '../../platform/http/access.ts';
import { OnlyBodyFields } from '../../platform/http/body-fields.ts';
import { CreatedKey, KeyList, NewKeyBody } from './keys.dto.ts';
import { ManagedKeys } from './managed-keys.ts';

/** The API keys, which identify clients and people. */
@ApiTags('Access')
@Allow(ACCESS.manage)
@Controller('api/keys')
export class KeysController {
  constructor(private readonly keys: ManagedKeys) {}

  @Get()
  @ApiOperation({ operationId: 'listKeys', summary: 'All API keys with their roles and last use' })
  @ApiOkResponse({ type: KeyList })
  async list(): Promise<KeyList> {
    return { data: await this.keys.list() };
  }

  /** Creates a key. Only this answer shows it. */
  @Post()
  @Audited('key.create', { bodyField: 'name' })
  @ApiOperation({ operationId: 'createKey', summary: 'Make an API key; only this answer shows it' })
  @ApiBody({ type: NewKeyBody })
  @ApiCreatedResponse({ type: CreatedKey })
  create(@OnlyBodyFields(NewKeyBody) { name, role }: NewKeyBody): Promise<CreatedKey> {
    return this.keys.create(name, role);
  }

  /** Ends the sessions and streams of the key, too. */
  @Delete(':name')
  @HttpCode(204)
  @Audited('key.revoke')
  @ApiOperation({ operationId: 'revokeKey', summary: 'Revoke an API key; it stops working within 5 seconds' })
  revoke(@Param('name') name: string): Promise<void> {
    return this.keys.revoke(name);
  }
}
