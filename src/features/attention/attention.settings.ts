/** The settings of operational events. */
export class AttentionSettings {
  constructor(
    readonly eventSource: string,
    /** The page with all that needs a person: a URL, or its path while PUBLIC_URL is not set. */
    readonly link: string,
  ) {}
}
