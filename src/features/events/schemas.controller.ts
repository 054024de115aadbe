import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { OpenBy } from '../../platform/http/open-route.ts';
import { asyncApiOf } from './asyncapi.ts';
import { EVENT_SCHEMAS, schemaDocument } from '../../domain/event/event-schemas.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { VERSION } from '../../platform/version.ts';
import { SchemasAnswer } from './events.dto.ts';

const DOCUMENT = { type: 'object', additionalProperties: true } as const;
const FILES = new Map(EVENT_SCHEMAS.map((event) => [`${event.type}.json`, schemaDocument(event)]));

/** Machine-readable descriptions of the events. */
@OpenBy('docs')
@Allow(ACCESS.read)
@ApiTags('Events')
@Controller()
export class SchemasController {
  private readonly asyncApi: object;

  constructor(destinations: DestinationKinds) {
    this.asyncApi = asyncApiOf(VERSION, destinations.all);
  }

  @Get('asyncapi.json')
  @ApiOkResponse({ schema: DOCUMENT })
  @ApiOperation({
    operationId: 'getAsyncApi',
    summary: 'The AsyncAPI 3 document: the events and their channels',
  })
  document(): object {
    return this.asyncApi;
  }

  @Get('schemas')
  @ApiOperation({
    operationId: 'listEventSchemas',
    summary: 'All event types, with the paths of their JSON Schemas',
  })
  list(): SchemasAnswer {
    return {
      data: EVENT_SCHEMAS.map(({ type, summary }) => ({ type, summary, schema: `/schemas/${type}.json` })),
    };
  }

  @Get('schemas/:file')
  @ApiParam({ name: 'file', enum: [...FILES.keys()] })
  @ApiOkResponse({ schema: DOCUMENT })
  @ApiOperation({
    operationId: 'getEventSchema',
    summary: 'The JSON Schema (draft 2020-12) of one event type',
  })
  schema(@Param('file') file: string): object {
    const schema = FILES.get(file);
    if (schema === undefined) throw new NotFoundException();
    return schema;
  }
}
