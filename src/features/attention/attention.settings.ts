/** The settings of operational events. */
export class AttentionSettings {
  constructor(
    readonly eventSource: string,
    /** The page of Attention: a URL, or its path while PUBLIC_URL is not set. */
    readonly link: string,
  ) {}
}
