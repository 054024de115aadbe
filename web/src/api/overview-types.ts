import type { Schemas } from './client.ts';

/** The shapes for an operator's overview: attention, provider and figures. */

export type AttentionItem = Schemas['AttentionItemAnswer'];
export type Attention = Schemas['AttentionAnswer'];
export type Replica = Schemas['ReplicaAnswer'];
export type Quantiles = Schemas['LatencyAnswer'];
export type ProviderState = Schemas['ProviderAnswer'];
export type UrgencyClass = Schemas['UrgencyClassAnswer'];
export type Figures = Schemas['FiguresAnswer'];
export type PaymentSums = Schemas['PaymentSumsAnswer'];
export type FirstSteps = Schemas['FirstStepsAnswer'];
export type SystemFacts = Schemas['SystemAnswer'];
