import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

import { STATUSES } from '../../domain/payment/status.ts';
import { A_DEPOSIT, A_GAS, A_REFUND, AN_OUTPUT, COMPLETION, THE_STEPS } from './status-shapes.ts';

/** The shapes of the spec's answers, only for the OpenAPI document: Paybell passes the answers on as text. */

/** A chain of a quote. */
export class QuoteChain {
  id!: number;
  name!: string;
}

/** A token of a quote. Short forms leave out the address and the name. */
export class QuoteToken {
  address?: string;
  symbol!: string;
  name?: string;
  decimals!: number;
}

/** The deposit that the payer must send. */
export class QuoteSend {
  /** One-time address on the source chain. */
  depositAddress!: string;
  chain!: QuoteChain;
  token!: QuoteToken;
  /** Exact amount to send, in human-readable units. */
  amount!: string;
  /** Part of the address: without it a deposit is lost. */
  depositMemo?: string;
}

/** The amount that the recipient gets. */
export class QuoteReceive {
  chain!: QuoteChain;
  token!: QuoteToken;
  estimatedAmount!: string;
  estimatedAmountUsd!: string;
}

/** A part of the fees. */
export class QuoteFee {
  amount!: string;
  usd!: string;
  currency!: string;
}

/** The fees of a quote. */
export class QuoteFees {
  totalUsd!: string;
  gas?: QuoteFee;
  relayer?: QuoteFee;
  app?: QuoteFee;
}

/** The provider's quote. */
export class QuoteAnswer {
  success!: boolean;
  quoteId!: string;
  /** Seconds until the quote expires. */
  expiresIn!: number;
  send!: QuoteSend;
  receive!: QuoteReceive;
  recipient?: string;
  fees!: QuoteFees;
  estimatedTime!: string;
  steps?: number;
  statusUrl!: string;
  /** Instruction to show to the payer. */
  depositNote!: string;
  /** Which provider made the quote, where Paybell has several. */
  provider?: string;
}

/** The progress of the execution. */
export class StatusExecution {
  startedAt!: number | null;
  completedAt!: number | null;
  outputTxHash!: string | null;
  @ApiProperty(THE_STEPS)
  steps!: object[];
  @ApiPropertyOptional(COMPLETION)
  completedBy?: string;
  @ApiPropertyOptional(AN_OUTPUT)
  output?: object;
  @ApiPropertyOptional(A_REFUND)
  refund?: object;
}

/** One end of a payment's route. */
export class StatusPlace {
  chainId!: number;
  chainName!: string;
  token!: string;
}

/** The route of a payment. */
export class StatusRoute {
  from!: StatusPlace;
  to!: StatusPlace;
  /** In the token's smallest unit. */
  amount!: string;
  recipient!: string;
}

/** The provider's report about a payment. */
export class PaymentStatusAnswer {
  success!: boolean;
  quoteId!: string;
  /** A payment's first report may have a status that is none of these: then wait, as for any status that is not final. */
  @ApiProperty({ enum: STATUSES })
  status!: string;
  /** Unix seconds. */
  createdAt!: number;
  /** Unix seconds. */
  expiresAt!: number;
  depositAddress!: string;
  @ApiProperty(A_DEPOSIT)
  deposit!: object | null;
  @ApiProperty(A_GAS)
  gas!: object | null;
  execution!: StatusExecution;
  route!: StatusRoute;
  error!: string | null;
  /** Only with VERIFY, from the completion on: the chain's finding about the output. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  verification?: object;
}

/** Extra data of a chain, with several providers. */
export class ChainMetadata {
  /** Which providers have the chain, the preferred one first. */
  providers!: string[];
}

/** A supported chain. */
export class Chain {
  id!: number;
  name!: string;
  shortName!: string;
  nativeToken!: string;
  metadata?: ChainMetadata;
}

/** The chains of the only provider, or of all providers. */
export class ChainsAnswer {
  success!: boolean;
  chains!: Chain[];
}

/** Extra data of a token. */
export class CurrencyMetadata {
  logoURI!: string;
  verified!: boolean;
  /** With several providers: the providers that have the token, the preferred one first. */
  providers?: string[];
  /** The number of fraction digits by provider, only if they differ. `decimals` has the one that counts, if any does. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'integer' } })
  decimals?: Record<string, number>;
}

/** A token. */
export class Currency {
  chainId!: number;
  address!: string;
  symbol!: string;
  name!: string;
  decimals!: number;
  vmType!: string;
  metadata!: CurrencyMetadata;
}

/** The tokens that the search found. */
export class CurrenciesAnswer {
  success!: boolean;
  currencies!: Currency[];
}
