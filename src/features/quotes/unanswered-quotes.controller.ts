import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { ACCESS, Allow } from '../../platform/http/access.ts';
import { providersIn } from '../../platform/http/known-provider.ts';
import { DEFAULT_LIMIT, flagOf, wordsOf } from '../../platform/http/list-query.ts';
import { LIST_SORTS } from '../../ports/list-sort.ts';
import { ProviderCells } from '../../ports/provider-cell.ts';
import { type UnansweredFilter, UnansweredQuotes } from '../../ports/unanswered-quotes.ts';
import { UnansweredQuotesAnswer, UnansweredQuotesQuery } from './unanswered-quotes.dto.ts';

/** Requests for quotes that providers have not answered: each may have a deposit address that no payer was shown. */
@ApiTags('Operations')
@Controller('api/unanswered-quotes')
export class UnansweredQuotesController {
  constructor(
    private readonly unanswered: UnansweredQuotes,
    private readonly cells: ProviderCells,
  ) {}

  @Get()
  @Allow(ACCESS.inspect)
  @ApiOperation({
    operationId: 'listUnansweredQuotes',
    summary: 'Requests for quotes without an answer, newest first',
  })
  @ApiOkResponse({ type: UnansweredQuotesAnswer })
  async list(@Query() query: UnansweredQuotesQuery): Promise<UnansweredQuotesAnswer> {
    const { quotes: data, nextCursor } = await this.unanswered.list(filterOf(query, this.cells.everyName));
    return { data, nextCursor };
  }
}

/** An empty value counts as absent. `known` are the names of the providers. Throws InvalidField for any other name. */
function filterOf(query: UnansweredQuotesQuery, known: readonly string[]): UnansweredFilter {
  const { limit, cursor, orderId, requestedAfter, requestedBefore } = query;
  const providers = providersIn(query.provider, known);
  const [sort] = wordsOf(query.sort, LIST_SORTS);
  const isTracked = flagOf(query.tracked);
  return {
    limit: limit ? Number(limit) : DEFAULT_LIMIT,
    ...(cursor ? { cursor } : {}),
    ...(sort === undefined ? {} : { sort }),
    ...(providers.length > 0 ? { providers } : {}),
    ...(orderId ? { orderId } : {}),
    ...(isTracked === undefined ? {} : { isTracked }),
    ...(requestedAfter ? { requestedAfter: new Date(requestedAfter) } : {}),
    ...(requestedBefore ? { requestedBefore: new Date(requestedBefore) } : {}),
  };
}
