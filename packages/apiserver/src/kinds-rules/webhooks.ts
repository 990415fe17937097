import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  isQualifiedName,
} from '@orrery/kinds/values'
import { between, type Check, reportFormat, required, type StructCheck, strictlyOneOf, struct } from './check.js'
import { CLUSTER_WIDE, type GroupRules, type KindRules } from './kind.js'
import { labelSelector } from './labels.js'
import { childOf, has, numberOf, optionalNumber, repeats, structsOf, textOf } from './read.js'

const REVIEW_VERSIONS = ['v1', 'v1beta1']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const URL_FORM = '; desired format: https://host[/path]'

const domainName: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return void errors.push(fieldRequired(at))
  const problems = isDNS1123Subdomain(name)
  if (problems.length > 0) errors.push(fieldInvalid(at, name, problems.join(',')))
  else if (name.split('.').length < 3) {
    errors.push(fieldInvalid(at, name, 'should be a domain with at least three segments separated by dots'))
  }
}

/** A non-empty list in which `*` must be the only item. */
function wildcardList(what: string, mayHoldEmpty = false): Check {
  return (value, at, errors) => {
    const list = Array.isArray(value) ? (value as string[]) : []
    if (list.length === 0) errors.push(fieldRequired(at))
    if (list.length > 1 && list.includes('*')) {
      errors.push(fieldInvalid(at, list, `if '*' is present, must not specify other ${what}`))
    }
    for (const [i, item] of list.entries()) {
      if (item === '' && !mayHoldEmpty) errors.push(fieldRequired(indexPath(at, i)))
    }
  }
}

const resources: Check = (value, at, errors) => {
  const list = Array.isArray(value) ? (value as string[]) : []
  if (list.length === 0) errors.push(fieldRequired(at))
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  for (const [i, name] of list.entries()) {
    if (name === '') errors.push(fieldRequired(indexPath(at, i)))
    const slash = name.indexOf('/')
    if (slash < 0) continue
    const resource = name.slice(0, slash)
    const subresource = name.slice(slash + 1)
    if (wholeResources.has(resource)) {
      errors.push(fieldInvalid(indexPath(at, i), name, `if '${resource}/*' is present, must not specify ${name}`))
    }
    if (wholeSubresources.has(subresource)) {
      errors.push(fieldInvalid(indexPath(at, i), name, `if '*/${subresource}' is present, must not specify ${name}`))
    }
    if (subresource === '*') wholeResources.add(resource)
    if (resource === '*') wholeSubresources.add(subresource)
  }
  if (list.length > 1 && list.includes('*/*')) {
    errors.push(fieldInvalid(at, list, "if '*/*' is present, must not specify other resources"))
  }
  if (list.includes('*') && list.some((name) => name !== '*' && name !== '' && !name.includes('/'))) {
    const detail = "if '*' is present, must not specify other resources without subresources"
    errors.push(fieldInvalid(at, list, detail))
  }
}

const rule = struct({
  operations: wildcardList('operations', true),
  'operations[]': strictlyOneOf(...OPERATIONS),
  apiGroups: wildcardList('API groups', true),
  apiVersions: wildcardList('API versions'),
  resources,
  'scope?': strictlyOneOf('*', 'Cluster', 'Namespaced'),
})

/** The scheme, user, host, query and fragment of a URL, each optional. */
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s

/** The URL of a webhook outside the cluster. */
export function checkWebhookUrl(text: string, at: string, errors: FieldError[]): void {
  const [, scheme = '', user = '', host = '', query = '', fragment = ''] = URL_PARTS.exec(text) ?? []
  const refuse = (value: string, detail: string) => errors.push(fieldInvalid(at, value, detail))
  if (host !== '' && !URL.canParse(text)) {
    errors.push(fieldRequired(at, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid${URL_FORM}`))
    return
  }
  if (scheme.toLowerCase() !== 'https') refuse(scheme, `'https' is the only allowed URL scheme${URL_FORM}`)
  if (host === '') refuse(host, `host must be specified${URL_FORM}`)
  if (user !== '') refuse(user, 'user information is not permitted in the URL')
  if (fragment !== '') refuse(fragment, 'fragments are not permitted in the URL')
  if (query !== '') refuse(query, 'query parameters are not permitted in the URL')
}

/** The Service of a webhook inside the cluster. */
function checkWebhookService(service: JsonObject, at: string, errors: FieldError[]): void {
  // Upstream swaps these two paths, and clients know its messages.
  required()(service.namespace, `${at}.name`, errors)
  required()(service.name, `${at}.namespace`, errors)
  const port = optionalNumber(service, 'port') ?? 443
  between(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive')(port, `${at}.port`, errors)
  const path = textOf(service, 'path')
  if (path === '' || path === '/') return
  const report = (detail: string) => errors.push(fieldInvalid(`${at}.path`, path, detail))
  if (path === '//') return void report('segment[0] may not be empty')
  if (!path.startsWith('/')) report("must start with a '/'")
  const steps = path.slice(1).replace(/\/$/, '').split('/')
  for (const [i, step] of steps.entries()) {
    if (step === '') report(`segment[${i}] may not be empty`)
    else for (const message of isDNS1123Subdomain(step)) report(`segment[${i}]: ${message}`)
  }
}

const clientConfig: StructCheck = (config, at, errors) => {
  const service = childOf(config, 'service')
  if (has(config, 'url') === (service !== undefined)) {
    errors.push(fieldRequired(at, 'exactly one of url or service is required'))
  } else if (service !== undefined) checkWebhookService(service, `${at}.service`, errors)
  else checkWebhookUrl(textOf(config, 'url'), `${at}.url`, errors)
}

const MAX_MATCH_CONDITIONS = 64

const matchConditions: StructCheck = (webhook, at, errors) => {
  const list = structsOf(webhook, 'matchConditions')
  const path = `${at}.matchConditions`
  if (list.length > MAX_MATCH_CONDITIONS) {
    const body = `Too many: ${list.length}: must have at most ${MAX_MATCH_CONDITIONS} items`
    errors.push({ reason: 'FieldValueTooMany', field: path, body })
  }
  const names = new Set<string>()
  for (const [i, condition] of list.entries()) {
    const item = indexPath(path, i)
    if (textOf(condition, 'expression').trim() === '') errors.push(fieldRequired(`${item}.expression`))
    const name = textOf(condition, 'name')
    if (name === '') errors.push(fieldRequired(`${item}.name`))
    else {
      reportFormat(isQualifiedName, name, `${item}.name`, errors)
      if (names.has(name)) errors.push(fieldDuplicate(`${item}.name`, name))
    }
    names.add(name)
  }
}

const sideEffects: Check = (value, at, errors) => {
  if (!value) errors.push(fieldRequired(at, `must specify one of ${SIDE_EFFECTS.join(', ')}`))
  else strictlyOneOf(...SIDE_EFFECTS)(value, at, errors)
}

const reviewVersions: Check = (value, at, errors) => {
  const versions = Array.isArray(value) ? (value as string[]) : []
  const known = REVIEW_VERSIONS.join(', ')
  if (versions.length === 0) return void errors.push(fieldRequired(at, `must specify one of ${known}`))
  const repeated = repeats(versions)
  for (const [i, version] of versions.entries()) {
    if (repeated.has(i)) errors.push(fieldInvalid(indexPath(at, i), version, 'duplicate version'))
    else reportFormat(isDNS1035Label, version, indexPath(at, i), errors)
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    errors.push(fieldInvalid(at, versions, `must include at least one of ${known}`))
  }
}

const webhook = struct({
  name: domainName,
  'rules[]': rule,
  'failurePolicy?': strictlyOneOf('Fail', 'Ignore'),
  'matchPolicy?': strictlyOneOf('Equivalent', 'Exact'),
  sideEffects,
  'timeoutSeconds?': between(1, 30, 'the timeout value must be between 1 and 30 seconds'),
  'namespaceSelector?': labelSelector,
  'objectSelector?': labelSelector,
  'reinvocationPolicy?': strictlyOneOf('IfNeeded', 'Never'),
  clientConfig,
  '. conditions': matchConditions,
  admissionReviewVersions: reviewVersions,
})

const configuration: KindRules = {
  ...CLUSTER_WIDE,
  knownFinalizers: false,
  valid: (object, _at, errors) => {
    const names = new Set<string>()
    for (const [i, hook] of structsOf(object, 'webhooks').entries()) {
      const path = indexPath('webhooks', i)
      webhook(hook, path, errors)
      const name = textOf(hook, 'name')
      if (name !== '' && names.has(name)) errors.push(fieldDuplicate(`${path}.name`, name))
      names.add(name)
    }
  },
}

export const admissionRegistrationGroup: GroupRules = {
  MutatingWebhookConfiguration: configuration,
  ValidatingWebhookConfiguration: configuration,
}

const LOCAL = 'local APIServices may not have'

const apiService: StructCheck = (object, _at, errors) => {
  const spec = childOf(object, 'spec') ?? {}
  const group = textOf(spec, 'group')
  const version = textOf(spec, 'version')
  const name = textOf(childOf(object, 'metadata'), 'name')
  if (name !== '' && name !== `${version}.${group}`) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(`${version}.${group}`)}`
    errors.push(fieldInvalid('metadata.name', name, detail))
  }
  if (group !== '') reportFormat(isDNS1123Subdomain, group, 'spec.group', errors)
  else if (version !== 'v1') {
    errors.push(fieldRequired('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  }
  reportFormat(isDNS1035Label, version, 'spec.version', errors)
  for (const [field, max] of [
    ['groupPriorityMinimum', 20000],
    ['versionPriority', 1000],
  ] as const) {
    between(1, max, `must be positive and less than ${max}`)(numberOf(spec, field), `spec.${field}`, errors)
  }
  const service = childOf(spec, 'service')
  const bundle = textOf(spec, 'caBundle')
  if (service === undefined) {
    if (bundle !== '') {
      const size = `${Buffer.from(bundle, 'base64').length} bytes`
      errors.push(fieldInvalid('spec.caBundle', size, `${LOCAL} a caBundle`))
    }
    if (spec.insecureSkipTLSVerify === true) {
      errors.push(fieldInvalid('spec.insecureSkipTLSVerify', true, `${LOCAL} insecureSkipTLSVerify`))
    }
    return
  }
  required()(service.namespace, 'spec.service.namespace', errors)
  required()(service.name, 'spec.service.name', errors)
  const port = optionalNumber(service, 'port') ?? 443
  between(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive')(port, 'spec.service.port', errors)
  if (spec.insecureSkipTLSVerify === true && bundle !== '') {
    errors.push(fieldInvalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
}

const conditionStatus = struct({ 'status.conditions[].status': strictlyOneOf('True', 'False', 'Unknown') })

export const apiRegistrationGroup: GroupRules = {
  APIService: {
    namespaced: false,
    nameRule: 'pathSegment',
    knownFinalizers: false,
    valid: apiService,
    onUpdate: { status: (object, _old, errors) => conditionStatus(object, '', errors) },
  },
}
