import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

import { Injectable } from '@nestjs/common';

import { urlFault } from '../../domain/text/url-fault.ts';
import { WebhookUrls } from '../../ports/webhook-urls.ts';
import { AddressGuard } from '../../platform/outbound/address-guard.ts';

/** Spaces and invisible characters, except the joiners that some languages need in names. */
const UNSEEN = /[\s\p{Cc}]|(?![\u200c\u200d])\p{Cf}/u;
const SCHEME = /^https?:\/\/(?!\/)/i;
const USER_INFO = /^[a-z]+:\/\/[^/?#]*@/i;
const LOCALHOST = ['127.0.0.1', '::1'] as const;

/** Checks the URL itself; the connector checks the addresses of its host name at each connection. */
@Injectable()
export class WebhookUrlCheck extends WebhookUrls {
  constructor(private readonly guard: AddressGuard) {
    super();
  }

  refusal(text: string): string | null {
    // The parser would silently drop these characters, and Paybell would call another URL than the shown one.
    if (UNSEEN.test(text)) return 'must not hold spaces or control characters';
    if (text.includes('\\')) return 'must not hold a backslash';
    if (!URL.canParse(text)) return 'is not a URL';
    // The WHATWG parser converts every notation of an IPv4 address to the dotted one, and refuses zone ids.
    const url = new URL(text);
    if (!url.hostname.split('.').every(isLabel)) return 'is not a URL';
    if (!SCHEME.test(text)) return 'must begin with https:// or http://';
    if (USER_INFO.test(text)) return 'must not hold a user name or a password';
    // Clients do not send the fragment, so the receiver would miss a part of its URL.
    if (text.includes('#')) return 'must not hold a fragment: what follows # is never sent';
    return urlFault(url) ?? this.refusalOfHost(hostOf(url), url.protocol);
  }

  private refusalOfHost(host: string, protocol: string): string | null {
    if (isIP(host) !== 0) return this.refusalOfAll([host], protocol);
    if (host === 'localhost' || host.endsWith('.localhost')) return this.refusalOfAll(LOCALHOST, protocol);
    return protocol === 'http:' && !this.guard.mayAllowHttp ? this.guard.plainHttp : null;
  }

  private refusalOfAll(addresses: readonly string[], protocol: string): string | null {
    const refusals = addresses.map((address) => this.guard.refusal(address, protocol));
    return refusals.includes(null) ? null : (refusals[0]?.reason ?? null);
  }
}

/** The host without the brackets of an IPv6 address and the trailing dot of a full domain name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Since Node 24 the parser accepts any text after `xn--`: the label must decode to a name that encodes to the same label. */
function isLabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const name = domainToUnicode(label);
  return name !== label && domainToASCII(name) === label;
}
