import { createSecureContext } from 'node:tls';

import { isDecodable, STRAY_PERCENT } from './address-kinds.ts';
import { readCertificates, readPem } from './certificate-kinds.ts';
import { optional } from './kinds.ts';
import type { Refuse, Row, Setting } from './setting.ts';

const MAX_HOSTS = 16;
const MAX_ECHO = 20;
/** User and password, hosts, path, and parameters. */
const PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/is;
const HOST = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
const FORM =
  'is not a URL that begins with postgres:// or postgresql://, with hosts like a:5432,b:5432, and a password with / ? # as %2F %3F %23';
const SESSION_ATTRS = new Set(['any', 'read-write', 'primary']);
const SSL: Readonly<Record<string, string>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
};
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const UNENCRYPTED = new Set(['disable', 'allow', 'prefer']);
const WITHOUT_CHECK = new Set(['disable', 'no-verify']);
/** Parameters that mean TLS even without sslmode. */
const OF_TLS = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Splits a PostgreSQL URL in libpq's form into one URL for each host: several hosts as in `postgres://user@a:5432,b:5432/db`,
 * or sockets and hosts in the parameter `host`. In each result the host stands before the path, and `sslmode` says everything
 * about TLS except for files.
 */
export function postgresUrls(name: string, row: Row): Setting<readonly string[] | null> {
  return optional(name, row, '`postgres://`', (value, refuse) => {
    if (!isDecodable(value)) return refuse(`has ${STRAY_PERCENT}`);
    const [whole, user = '', authority = '', path = '', query = ''] = PARTS.exec(value) ?? [];
    const params = new URLSearchParams(query);
    const hosts = whole === undefined ? [] : hostsOf(authority, params);
    if (hosts.length === 0) return refuse(FORM);
    if (!hasGoodAttrs(params, refuse) || !hasGoodTls(params, refuse)) return undefined;
    const urls = hosts.map((host) => urlOf(user, host, path, params));
    return urls.every((url) => URL.canParse(url)) ? urls : refuse(FORM);
  });
}

/** Hosts with ports; parameters of these names replace those before the path. Empty: unreadable. */
function hostsOf(authority: string, params: URLSearchParams): readonly string[] {
  const parts = authority.split(',').map((part) => HOST.exec(part));
  if (parts.includes(null)) return [];
  const hosts = params.get('host')?.split(',').map(written) ?? parts.map((part) => part?.[1] ?? '');
  const ports = params.get('port')?.split(',') ?? parts.map((part) => part?.[2] ?? '');
  for (const name of ['host', 'port']) params.delete(name);
  const isForAll = ports.length === 1;
  if ((!isForAll && ports.length !== hosts.length) || hosts.length > MAX_HOSTS) return [];
  if (hosts.length > 1 && hosts.includes('')) return [];
  return hosts.map((host, index) => {
    const port = ports[isForAll ? 0 : index];
    return port === '' ? host : `${host === '' ? 'localhost' : host}:${port}`;
  });
}

/** A host from a parameter in the form of a URL: a folder of sockets, an IPv6 address, or a name. */
function written(host: string): string {
  if (host.includes('/')) return encodeURIComponent(host);
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** A URL without a host cannot have a user in front of it. */
function urlOf(userinfo: string, host: string, path: string, params: URLSearchParams): string {
  const own = new URLSearchParams(params);
  if (host === '') {
    const [user = '', ...password] = userinfo.split(':').map(decodeURIComponent);
    if (user !== '') own.set('user', user);
    if (password.length > 0) own.set('password', password.join(':'));
  }
  const before = host === '' || userinfo === '' ? host : `${userinfo}@${host}`;
  return `postgres://${before}${host === '' && path === '' ? '/' : path}${own.size === 0 ? '' : `?${own.toString()}`}`;
}

function hasGoodAttrs(params: URLSearchParams, refuse: Refuse): boolean {
  const attrs = params.get('target_session_attrs') ?? 'any';
  if (SESSION_ATTRS.has(attrs)) return true;
  refuse(
    `has target_session_attrs=${attrs.slice(0, MAX_ECHO)}; Paybell writes: use read-write, primary or any`,
  );
  return false;
}

/** Combines all parameters about TLS into `sslmode` and the names of files. */
function hasGoodTls(params: URLSearchParams, refuse: Refuse): boolean {
  const isDirect = params.get('sslnegotiation') === 'direct';
  const ssl = params.get('ssl');
  const given = params.get('sslmode') ?? (ssl === null ? null : (SSL[ssl] ?? ssl));
  const mode = given ?? (isDirect || OF_TLS.some((name) => params.has(name)) ? 'verify-full' : null);
  for (const name of ['ssl', 'uselibpqcompat']) params.delete(name);
  if (mode === null) return true;
  params.set('sslmode', mode);
  const fault = tlsFault(mode, isDirect, params);
  if (fault !== null) refuse(fault);
  return fault === null && hasGoodFiles(params, refuse);
}

function tlsFault(mode: string, isDirect: boolean, params: URLSearchParams): string | null {
  if (!MODES.includes(mode))
    return `has sslmode=${mode.slice(0, MAX_ECHO)}, which is not one of: ${MODES.join(', ')}`;
  if (params.get('sslrootcert') === 'system' && mode !== 'verify-full')
    return `has sslrootcert=system, which needs sslmode=verify-full`;
  if (isDirect && UNENCRYPTED.has(mode))
    return `has sslnegotiation=direct, which needs sslmode=require or more`;
  return params.has('sslcert') === params.has('sslkey')
    ? null
    : 'has one of sslcert and sslkey: it needs both';
}

/** A missing file stops the start now, instead of failing a connection later. */
function hasGoodFiles(params: URLSearchParams, refuse: Refuse): boolean {
  const [root, cert, key] = OF_TLS.map((name) => params.get(name));
  if (root && root !== 'system' && readCertificates(root, 'has sslrootcert', refuse) === undefined)
    return false;
  if (!cert || !key) return true;
  const pem = readCertificates(cert, 'has sslcert', refuse);
  const keyPem = readPem(key, 'has sslkey', refuse);
  if (pem === undefined || keyPem === undefined) return false;
  try {
    createSecureContext({ cert: pem, key: keyPem, passphrase: params.get('sslpassword') ?? '' });
    return true;
  } catch (error) {
    refuse(`has an sslcert and an sslkey that cannot be used together (${codeOf(error)})`);
    return false;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'no code';
}

/** Adds the file of authorities to each URL that names none: the server is verified by it, unless the URL says otherwise. */
export function withAuthorities(urls: readonly string[] | null, file: string | null): typeof urls {
  if (urls === null || file === null) return urls;
  return urls.map((text) => {
    const url = new URL(text);
    const mode = url.searchParams.get('sslmode') ?? 'verify-full';
    if (url.searchParams.has('sslrootcert') || WITHOUT_CHECK.has(mode)) return text;
    url.searchParams.set('sslmode', mode);
    url.searchParams.set('sslrootcert', file);
    return url.href;
  });
}

const KNOWN = new Set(
  [
    OF_TLS,
    ['sslmode', 'sslpassword', 'sslnegotiation', 'user', 'password', 'dbname', 'target_session_attrs'],
    ['options', 'application_name', 'client_encoding'],
  ].flat(),
);
const SCHEMA_PLACE = "the tables are in public, or in a schema with the user's name";

/** The parts of these URLs that do less than they seem to, each as words that follow the variable's name. */
export function warningsOf(urls: readonly string[]): string[] {
  const [{ searchParams: params, host }] = [new URL(urls[0] ?? '')];
  const ignored = [...new Set(params.keys())].filter((name) => !KNOWN.has(name));
  const names = ignored.map((name) => (/^\w{1,40}$/.test(name) ? name : 'one with other letters'));
  const where = ignored.includes('schema') ? `: ${SCHEMA_PLACE}` : '';
  const mode = /^%2f/i.test(host) ? 'disable' : (params.get('sslmode') ?? 'disable');
  const weak = weakness(mode, params.has('sslrootcert'));
  return [
    ...(names.length === 0 ? [] : [`has parameters that Paybell ignores (${names.join(', ')})${where}`]),
    ...(weak === null
      ? []
      : [
          `has sslmode=${mode}, which ${weak}: set sslmode=verify-full, and DATABASE_CA_FILE to the certificate of a private authority`,
        ]),
  ];
}

function weakness(mode: string, hasAuthority: boolean): string | null {
  const isOptional = mode === 'prefer' || mode === 'allow';
  const isUnverified = mode === 'no-verify' || ((isOptional || mode === 'require') && !hasAuthority);
  if (isOptional)
    return `encrypts only where the server does${isUnverified ? ' and verifies no server' : ''}`;
  return isUnverified ? 'encrypts and does not verify the server' : null;
}
