import type { HttpRequest } from '@orrery/kube/client'
import type { Random } from './random.js'

const SEGMENTS: readonly string[] = [
  'api',
  'apis',
  'v1',
  'apps',
  'namespaces',
  'default',
  'configmaps',
  'pods',
  'secrets',
  'deployments',
  'customresourcedefinitions',
  'apiextensions.k8s.io',
  'watch',
  'status',
  'scale',
  'log',
  'exec',
  'proxy',
  'token',
  'openapi',
  'v2',
  'v3',
  'healthz',
  'metrics',
  'orrery',
  'version',
  '.well-known',
  '..',
  '.',
  '',
  '%2e%2e',
  '%2F',
  '%00',
  '%',
  '%zz',
  '%c0%ae',
  '%F0%9F%92%A9',
  '__proto__',
  'constructor',
  'toString',
  'a'.repeat(300),
  '%20',
  '*',
  ';',
  ':',
  '\\',
]

const PARAMETERS: readonly string[] = [
  'labelSelector',
  'fieldSelector',
  'resourceVersion',
  'resourceVersionMatch',
  'limit',
  'continue',
  'timeoutSeconds',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'pretty',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  'exclude',
  'verbose',
  '__proto__',
]

const VALUES: readonly string[] = [
  '',
  '0',
  '1',
  '-1',
  '1.5',
  'true',
  'All',
  'Exact',
  'NotOlderThan',
  '99999999999999999999',
  '9007199254740993',
  'a=b',
  'a in (b',
  'a in (b,c),!d',
  'a!=b,c==d',
  'x notin ()',
  'metadata.name=x',
  'metadata.name!=',
  'spec.nodeName=',
  'metadata.__proto__=x',
  'constructor=1',
  '=',
  ',,,',
  '(((((',
  '\\',
  'a\\,b=c',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0',
  'eyJ2Ijoi',
  'bnVsbA',
  '%00',
  '%ff',
  '%zz',
  '%E2%80%AE',
  'a'.repeat(2000),
  Array.from({ length: 300 }, (_, index) => `k${index}=v`).join(','),
]

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    [
      '',
      '*/*',
      'text/html',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=Table;v=v9;g=meta.k8s.io,application/json',
      'application/vnd.kubernetes.protobuf',
      'application/yaml',
      'application/json;q=x;;;=,',
      ',,,;;;',
      'a/b'.repeat(500),
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      '__proto__',
    ],
  ],
  [
    'content-type',
    [
      '',
      'application/json',
      'application/yaml',
      'text/plain',
      'application/vnd.kubernetes.protobuf',
      'application/merge-patch+json',
      'application/json-patch+json',
      'application/strategic-merge-patch+json',
      'application/apply-patch+yaml',
      'application/apply-patch+cbor',
      'multipart/form-data; boundary=x',
      '__proto__',
      ';;;',
    ],
  ],
  ['user-agent', ['', 'curl/8', 'x'.repeat(5000), 'kubectl/v1.20 (a/b) c/d', '\u00ff\u00fe']],
  ['audit-id', ['', 'x'.repeat(300), '\u00e9', 'a b']],
  ['impersonate-user', ['', 'somebody', 'system:serviceaccount:a:b', 'system:serviceaccount::']],
  ['impersonate-group', ['system:masters', '', 'a, b']],
  ['impersonate-extra-%zz', ['v']],
  ['accept-encoding', ['gzip', 'br;q=1', 'identity;q=0']],
  ['if-none-match', ['"x"', '*']],
  ['range', ['bytes=0-1']],
]

const BODIES: readonly string[] = [
  '',
  '{}',
  'null',
  '[]',
  '"x"',
  '0',
  '{',
  '{"kind":"DeleteOptions","gracePeriodSeconds":"x"}',
]

/** A request that no normal client would send. */
export function oddRequest(random: Random): HttpRequest {
  const headers: Record<string, string> = {}
  for (let count = random.below(4); count > 0; count--) {
    const [name, values] = random.pick(HEADERS)
    headers[name] = random.pick(values)
  }
  return {
    method: random.pick([
      'GET',
      'GET',
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'constructor',
      'LIST',
    ]),
    path: `${oddPath(random)}${oddQuery(random)}`,
    headers,
    body: random.pick(BODIES),
  }
}

function oddPath(random: Random): string {
  const soundStart = random.pick(['', '/api/v1', '/apis/apps/v1', '/api/v1/namespaces/default', '/openapi/v3'])
  const parts = Array.from({ length: random.below(6) }, () => random.pick(SEGMENTS))
  return `${soundStart}/${parts.join('/')}`
}

function oddQuery(random: Random): string {
  if (random.chance(0.4)) return ''
  const parts = Array.from({ length: 1 + random.below(4) }, () => `${random.pick(PARAMETERS)}=${random.pick(VALUES)}`)
  return `?${parts.join('&')}${random.chance(0.2) ? '&watch=1&timeoutSeconds=1' : ''}`
}
