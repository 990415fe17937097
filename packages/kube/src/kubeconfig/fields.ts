import { KubeconfigError } from './types.js'

type FieldType = 'string' | 'boolean' | 'list' | 'map' | 'base64'

type FieldTypes = Readonly<Record<string, FieldType>>

export const CLUSTER_FIELDS: FieldTypes = {
  server: 'string',
  'tls-server-name': 'string',
  'insecure-skip-tls-verify': 'boolean',
  'certificate-authority': 'string',
  'certificate-authority-data': 'base64',
  'proxy-url': 'string',
  'disable-compression': 'boolean',
  extensions: 'list',
}

export const USER_FIELDS: FieldTypes = {
  'client-certificate': 'string',
  'client-certificate-data': 'base64',
  'client-key': 'string',
  'client-key-data': 'base64',
  token: 'string',
  tokenFile: 'string',
  username: 'string',
  password: 'string',
  as: 'string',
  'as-uid': 'string',
  'as-groups': 'list',
  'as-user-extra': 'map',
  'auth-provider': 'map',
  exec: 'map',
}

export const EXEC_FIELDS: FieldTypes = {
  apiVersion: 'string',
  command: 'string',
  args: 'list',
  env: 'list',
  installHint: 'string',
  provideClusterInfo: 'boolean',
  interactiveMode: 'string',
}

export const CONTEXT_FIELDS: FieldTypes = { cluster: 'string', user: 'string', namespace: 'string' }

const EXPECTED: Readonly<Record<FieldType, string>> = {
  string: 'a string: put it in quotes',
  boolean: 'true or false, without quotes',
  list: 'a list',
  map: 'a map',
  base64: 'base64 on one line, as `base64 -w0` prints it',
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

/** Rejects an entry with fields of the wrong type. Null counts as absent. */
export function checkFields(
  value: Readonly<Record<string, unknown>>,
  types: FieldTypes,
  file: string | undefined,
  entry: string,
): void {
  for (const [field, type] of Object.entries(types)) {
    const found = value[field]
    if (found === undefined || found === null || matches(found, type)) continue
    // The value may be a secret: the message has only the expected type.
    throw new KubeconfigError(file, `${entry}: ${field} must be ${EXPECTED[type]}`)
  }
}

function matches(value: unknown, type: FieldType): boolean {
  if (type === 'list') return Array.isArray(value)
  if (type === 'map') return isMap(value)
  if (type === 'base64') return typeof value === 'string' && BASE64.test(value)
  return typeof value === type
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
