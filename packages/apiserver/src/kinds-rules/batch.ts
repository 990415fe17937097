import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isObject,
  isQualifiedName,
  keyPath,
} from '@orrery/kinds/values'
import { changes, immutable, type ObjectChange } from './change.js'
import { type Check, nonNegative, oneOf, reportFormat, type StructCheck, strictlyOneOf, struct } from './check.js'
import { cronProblem, isTimeZone } from './cron.js'
import { type GroupRules, NAMESPACED } from './kind.js'
import { labelSelector } from './labels.js'
import { podTemplate } from './pod/pod-spec.js'
import {
  childOf,
  entryOf,
  flagOf,
  has,
  listOf,
  numberOf,
  optionalNumber,
  repeats,
  sameValue,
  structsOf,
  textOf,
} from './read.js'
import { checkSelected } from './workload.js'

const MAX_INDEXED = 100_000
const MAX_PARALLEL_BEYOND = 10_000
const MAX_FAILURE_RULES = 20
const MAX_EXIT_CODES = 255
const MAX_MANAGED_BY = 63
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const CRON_NAME_MAX = 52

/** `example.com/controller`: a domain and a path. */
export const domainPrefixedPath: Check = (value, at, errors) => {
  const text = typeof value === 'string' ? value : ''
  if (text === '') return void errors.push(fieldRequired(at))
  const slash = text.indexOf('/')
  const host = text.slice(0, slash)
  const path = text.slice(slash + 1)
  if (slash <= 0 || path === '') {
    return void errors.push(fieldInvalid(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")'))
  }
  reportFormat(isDNS1123Subdomain, host, at, errors)
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
    const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
    errors.push(fieldInvalid(at, path, `Invalid path (regex used for validation is '${pattern}')`))
  }
}

const managedBy: Check = (value, at, errors) => {
  domainPrefixedPath(value, at, errors)
  if (Buffer.byteLength(value as string) > MAX_MANAGED_BY) errors.push(fieldTooLong(at, MAX_MANAGED_BY))
}

const completionMode: StructCheck = (spec, at, errors) => {
  const completions = optionalNumber(spec, 'completions')
  const parallelism = optionalNumber(spec, 'parallelism') ?? 0
  const maxFailed = optionalNumber(spec, 'maxFailedIndexes')
  const report = (name: string, value: number, detail: string) =>
    errors.push(fieldInvalid(`${at}.${name}`, value, detail))
  if (spec.completionMode !== 'Indexed') {
    if (has(spec, 'completionMode') && spec.completionMode !== 'NonIndexed') {
      errors.push(fieldNotSupported(`${at}.completionMode`, spec.completionMode, ['NonIndexed', 'Indexed']))
      return
    }
    const perIndex = optionalNumber(spec, 'backoffLimitPerIndex')
    if (perIndex !== undefined) report('backoffLimitPerIndex', perIndex, 'requires indexed completion mode')
    if (maxFailed !== undefined) report('maxFailedIndexes', maxFailed, 'requires indexed completion mode')
    return
  }
  if (completions === undefined) errors.push(fieldRequired(`${at}.completions`, 'when completion mode is Indexed'))
  if (parallelism > MAX_INDEXED) {
    const detail = `must be less than or equal to ${MAX_INDEXED} when completion mode is Indexed`
    report('parallelism', parallelism, detail)
  }
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
    report('maxFailedIndexes', maxFailed, 'must be less than or equal to completions')
  }
  if (maxFailed !== undefined && maxFailed > MAX_INDEXED) {
    report('maxFailedIndexes', maxFailed, `must be less than or equal to ${MAX_INDEXED}`)
  }
  if (completions === undefined || completions <= MAX_INDEXED || !has(spec, 'backoffLimitPerIndex')) return
  const beyond = `when completions are above ${MAX_INDEXED} and used with backoff limit per index`
  const most = `must be less than or equal to ${MAX_PARALLEL_BEYOND} ${beyond}`
  if (maxFailed === undefined) {
    errors.push(fieldRequired(`${at}.maxFailedIndexes`, `must be specified when completions is above ${MAX_INDEXED}`))
  }
  if (parallelism > MAX_PARALLEL_BEYOND) report('parallelism', parallelism, most)
  if (maxFailed !== undefined && maxFailed > MAX_PARALLEL_BEYOND) report('maxFailedIndexes', maxFailed, most)
}

/** An Invalid error that does not repeat the value in its message. */
function invalidWithoutValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, body: `Invalid value: ${detail}` }
}

const failurePolicy: StructCheck = (spec, at, errors) => {
  const policy = childOf(spec, 'podFailurePolicy')
  if (policy === undefined) return
  const path = `${at}.podFailurePolicy.rules`
  const rules = structsOf(policy, 'rules')
  if (rules.length > MAX_FAILURE_RULES) errors.push(fieldTooMany(path, rules.length, MAX_FAILURE_RULES))
  const podSpec = childOf(childOf(spec, 'template'), 'spec')
  const containers = [...structsOf(podSpec, 'containers'), ...structsOf(podSpec, 'initContainers')]
  const names = new Set(containers.map((container) => textOf(container, 'name')))
  for (const [i, rule] of rules.entries()) checkFailureRule(rule, spec, names, indexPath(path, i), errors)
}

function checkFailureRule(
  rule: JsonObject,
  spec: JsonObject,
  containers: ReadonlySet<string>,
  at: string,
  errors: FieldError[],
): void {
  const action = textOf(rule, 'action')
  if (action === '') errors.push(fieldRequired(`${at}.action`, `valid values: ${quoted(ACTIONS)}`))
  else if (action === 'FailIndex') {
    if (!has(spec, 'backoffLimitPerIndex')) {
      errors.push(fieldInvalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'))
    }
  } else if (!ACTIONS.includes(action)) errors.push(fieldNotSupported(`${at}.action`, action, ACTIONS))
  const codes = childOf(rule, 'onExitCodes')
  const conditions = structsOf(rule, 'onPodConditions')
  if (codes !== undefined) checkExitCodes(codes, containers, `${at}.onExitCodes`, errors)
  if (conditions.length > MAX_FAILURE_RULES) {
    errors.push(fieldTooMany(`${at}.onPodConditions`, conditions.length, MAX_FAILURE_RULES))
  }
  for (const [i, pattern] of conditions.entries()) {
    const path = indexPath(`${at}.onPodConditions`, i)
    reportFormat(isQualifiedName, textOf(pattern, 'type'), `${path}.type`, errors)
    strictlyOneOf('False', 'True', 'Unknown')(pattern.status, `${path}.status`, errors)
  }
  if (codes !== undefined && conditions.length > 0) {
    errors.push(invalidWithoutValue(at, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (codes === undefined && conditions.length === 0) {
    errors.push(invalidWithoutValue(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
  }
}

function checkExitCodes(codes: JsonObject, containers: ReadonlySet<string>, at: string, errors: FieldError[]): void {
  const operators = ['In', 'NotIn']
  const operator = textOf(codes, 'operator')
  if (operator === '') errors.push(fieldRequired(`${at}.operator`, `valid values: ${quoted(operators)}`))
  else if (!operators.includes(operator)) errors.push(fieldNotSupported(`${at}.operator`, operator, operators))
  const container = textOf(codes, 'containerName')
  if (has(codes, 'containerName') && !containers.has(container)) {
    const detail = 'must be one of the container or initContainer names in the pod template'
    errors.push(fieldInvalid(`${at}.containerName`, container, detail))
  }
  const values = listOf(codes, 'values') as readonly number[]
  const path = `${at}.values`
  if (values.length === 0) errors.push(fieldInvalid(path, codes.values ?? null, 'at least one value is required'))
  else if (values.length > MAX_EXIT_CODES) errors.push(fieldTooMany(path, values.length, MAX_EXIT_CODES))
  const repeated = repeats(values)
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) {
      errors.push(fieldInvalid(indexPath(path, i), value, 'must not be 0 for the In operator'))
    }
    if (repeated.has(i)) errors.push(fieldDuplicate(indexPath(path, i), value))
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) {
    errors.push(fieldInvalid(path, values, 'must be ordered'))
  }
}

function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}

const successPolicy: StructCheck = (spec, at, errors) => {
  const policy = childOf(spec, 'successPolicy')
  if (policy === undefined) return
  const path = `${at}.successPolicy`
  if (spec.completionMode !== 'Indexed') {
    return void errors.push(fieldInvalid(path, { Rules: policy.rules ?? null }, 'requires indexed completion mode'))
  }
  const rules = structsOf(policy, 'rules')
  if (rules.length === 0) {
    const detail = 'at least one rules must be specified when the successPolicy is specified'
    errors.push(fieldRequired(`${path}.rules`, detail))
  }
  if (rules.length > MAX_FAILURE_RULES) errors.push(fieldTooMany(`${path}.rules`, rules.length, MAX_FAILURE_RULES))
  for (const [i, rule] of rules.entries()) {
    const rulePath = indexPath(`${path}.rules`, i)
    const count = optionalNumber(rule, 'succeededCount')
    const completions = numberOf(spec, 'completions')
    if (count === undefined && !has(rule, 'succeededIndexes')) {
      errors.push(fieldRequired(rulePath, 'at least one of succeededCount or succeededIndexes must be specified'))
    }
    nonNegative(rule.succeededCount, `${rulePath}.succeededCount`, errors)
    if (count !== undefined && count > completions) {
      const detail = `must be less than or equal to ${completions} (the number of specified completions)`
      errors.push(fieldInvalid(`${rulePath}.succeededCount`, count, detail))
    }
  }
}

const restartPolicy: StructCheck = (spec, at, errors) => {
  const path = `${at}.template.spec.restartPolicy`
  const policy = textOf(childOf(childOf(spec, 'template'), 'spec'), 'restartPolicy')
  if (policy === 'Always' || policy === '') {
    errors.push(fieldRequired(path, 'valid values: "OnFailure", "Never"'))
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(fieldNotSupported(path, policy, ['OnFailure', 'Never']))
  } else if (policy !== 'Never' && has(spec, 'podFailurePolicy')) {
    errors.push(fieldInvalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
}

const replacementPolicy: StructCheck = (spec, at, errors) => {
  const policies = has(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed']
  if (!has(spec, 'podReplacementPolicy')) return
  strictlyOneOf(...policies)(spec.podReplacementPolicy, `${at}.podReplacementPolicy`, errors)
}

/** The common fields of a Job and of the template in a CronJob. */
const jobFields: StructCheck = struct({
  'parallelism?': nonNegative,
  'completions?': nonNegative,
  'activeDeadlineSeconds?': nonNegative,
  'backoffLimit?': nonNegative,
  'ttlSecondsAfterFinished?': nonNegative,
  'backoffLimitPerIndex?': nonNegative,
  'maxFailedIndexes?': nonNegative,
  '. maxFailedIndexes': (spec, at, errors) => {
    if (!has(spec, 'maxFailedIndexes') || has(spec, 'backoffLimitPerIndex')) return
    errors.push(fieldRequired(`${at}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  },
  'managedBy?': managedBy,
  '. modes': [completionMode, failurePolicy, successPolicy, replacementPolicy],
  template: podTemplate,
  '. restarts': restartPolicy,
})

const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid']
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name']

/** The server generates the selector from the UID of the Job, unless `manualSelector` is set. */
const generatedSelector: StructCheck = (job, _at, errors) => {
  const spec = childOf(job, 'spec')
  if (flagOf(spec, 'manualSelector') || !has(spec, 'selector')) return
  const meta = childOf(job, 'metadata')
  if (textOf(meta, 'uid') === '') errors.push(fieldRequired('metadata.uid'))
  const labels = childOf(childOf(childOf(spec, 'template'), 'metadata'), 'labels')
  const expected = new Map<string, string>()
  for (const label of UID_LABELS) expected.set(label, textOf(meta, 'uid'))
  for (const label of NAME_LABELS) expected.set(label, textOf(meta, 'name'))
  for (const [label, value] of expected) {
    const path = keyPath('spec.template.metadata.labels', label)
    const actual = entryOf(labels, label)
    if (actual === undefined) errors.push(fieldRequired(path, `must be '${value}'`))
    else if (actual !== value) errors.push(fieldInvalid(path, labels, `must be '${value}'`))
  }
  const selector = childOf(spec, 'selector')
  const wanted = Object.entries(selector?.matchLabels ?? {})
  if (!wanted.every(([label, value]) => expected.get(label) === value)) {
    errors.push(fieldInvalid('spec.selector', selector, '`selector` not auto-generated'))
  }
}

const jobSpec: StructCheck = (spec, at, errors) => {
  jobFields(spec, at, errors)
  if (!has(spec, 'selector')) errors.push(fieldRequired(`${at}.selector`))
  else labelSelector(spec.selector, `${at}.selector`, errors)
  checkSelected(spec, at, errors)
}

/** Pods of an indexed Job are named after it, so its name must leave room for the index. */
const nameFitsIndexes: StructCheck = (job, _at, errors) => {
  const spec = childOf(job, 'spec')
  const completions = numberOf(spec, 'completions')
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return
  const name = textOf(childOf(job, 'metadata'), 'name')
  const host = `${name}-${completions - 1}`
  if (isDNS1123Label(host).length === 0) return
  errors.push(fieldInvalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${host}`))
}

const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates']

/** The scheduling directives and resources of the pods can change while a Job is suspended. */
const templateKept: ObjectChange = (job, old, errors) => {
  const template = childOf(childOf(job, 'spec'), 'template') ?? {}
  const was = childOf(childOf(old, 'spec'), 'template') ?? {}
  const suspended = flagOf(childOf(old, 'spec'), 'suspend')
  if (sameValue(template, suspended ? withScheduling(was, template) : was)) return
  errors.push(fieldInvalid('spec.template', template, 'field is immutable'))
}

function withScheduling(was: JsonObject, now: JsonObject): JsonObject {
  const next = childOf(now, 'spec') ?? {}
  const spec: JsonObject = { ...childOf(was, 'spec') }
  for (const name of SCHEDULING) put(spec, name, next[name])
  const affinity: JsonObject = { ...childOf(spec, 'affinity') }
  put(affinity, 'nodeAffinity', childOf(next, 'affinity')?.nodeAffinity)
  put(spec, 'affinity', Object.keys(affinity).length > 0 || has(next, 'affinity') ? affinity : undefined)
  for (const list of ['containers', 'initContainers']) {
    if (!has(spec, list)) continue
    const containers = structsOf(next, list)
    spec[list] = structsOf(spec, list).map((container, i) => {
      const other = containers[i]
      const kept: JsonObject = { ...container }
      if (other?.name === container.name) put(kept, 'resources', other?.resources)
      return kept
    })
  }
  const template: JsonObject = { ...was, spec }
  put(template, 'metadata', now.metadata)
  return template
}

/** Sets or removes a field. */
function put(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[name]
  else object[name] = value
}

const completionsKept: ObjectChange = (job, old, errors) => {
  const spec = childOf(job, 'spec') ?? {}
  const was = childOf(old, 'spec') ?? {}
  const at = 'spec.completions'
  if (spec.completionMode !== 'Indexed') return immutable()(spec.completions, was.completions, at, errors)
  if (sameValue(spec.completions, was.completions) || !has(spec, 'completions')) return
  if (spec.completions === spec.parallelism) return
  errors.push(fieldInvalid(at, spec.completions, 'can only be modified in tandem with spec.parallelism'))
}

const FINISHED = ['Complete', 'Failed']

function isTrue(object: JsonObject, type: string): boolean {
  const conditions = structsOf(childOf(object, 'status'), 'conditions')
  return conditions.some((condition) => condition.type === type && condition.status === 'True')
}

const jobStatus: ObjectChange = (job, old, errors) => {
  const status = childOf(job, 'status')
  const was = childOf(old, 'status')
  for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    nonNegative(status?.[name], `status.${name}`, errors)
  }
  const conflict = (detail: string) => errors.push(invalidWithoutValue('status.conditions', detail))
  const complete = isTrue(job, 'Complete')
  if (complete && isTrue(job, 'Failed')) conflict('cannot set Complete=True and Failed=true conditions')
  if (complete && isTrue(job, 'FailureTarget')) conflict('cannot set Complete=True and FailureTarget=true conditions')
  if (complete && !has(status, 'completionTime')) {
    errors.push(fieldRequired('status.completionTime', 'completionTime is required for Complete jobs'))
  }
  if (!complete && has(status, 'completionTime')) {
    const detail = 'cannot set completionTime when there is no Complete=True condition'
    errors.push(fieldInvalid('status.completionTime', status?.completionTime, detail))
  }
  if (isTrue(job, 'Failed') && !isTrue(job, 'FailureTarget')) {
    conflict('cannot set Failed=True condition without the FailureTarget=true condition')
  }
  if (complete && !isTrue(job, 'SuccessCriteriaMet')) {
    conflict('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  }
  const finished = FINISHED.some((type) => isTrue(job, type))
  if (finished && numberOf(status, 'active') > 0) {
    errors.push(fieldInvalid('status.active', numberOf(status, 'active'), 'active>0 is invalid for finished job'))
  }
  if (finished && !has(status, 'startTime')) {
    errors.push(fieldRequired('status.startTime', 'startTime is required for finished job'))
  }
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (isTrue(old, type) && !isTrue(job, type)) conflict(`cannot disable the terminal ${type}=True condition`)
  }
  for (const name of ['failed', 'succeeded']) {
    if (numberOf(status, name) >= numberOf(was, name)) continue
    errors.push(fieldInvalid(`status.${name}`, numberOf(status, name), `cannot decrease the ${name} counter`))
  }
}

const schedule: StructCheck = (spec, at, errors) => {
  const text = textOf(spec, 'schedule')
  const path = `${at}.schedule`
  if (text === '') return void errors.push(fieldRequired(path))
  const problem = cronProblem(text)
  if (problem !== undefined) errors.push(fieldInvalid(path, text, problem))
  if (text.includes('TZ')) {
    errors.push(fieldInvalid(path, text, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  }
}

const timeZone: Check = (value, at, errors) => {
  const zone = typeof value === 'string' ? value : ''
  if (zone === '') return void errors.push(fieldInvalid(at, zone, 'timeZone must be nil or non-empty string'))
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(fieldInvalid(at, zone, detail))
  } else if (
    !zone.split('/').every((part) => /^(?!-|\.{1,2}$)[A-Za-z.\-_0-9+]{1,14}$/.test(part)) ||
    !isTimeZone(zone)
  ) {
    errors.push(fieldInvalid(at, zone, `unknown time zone ${zone}`))
  }
}

const cronJobSpec = struct({
  '. schedule': schedule,
  'startingDeadlineSeconds?': nonNegative,
  'timeZone?': timeZone,
  concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
  'jobTemplate.spec': [
    jobFields,
    (spec, at, errors) => {
      if (has(spec, 'selector')) {
        errors.push(
          fieldInvalid(`${at}.selector`, isObject(spec) ? spec.selector : null, '`selector` will be auto-generated'),
        )
      }
      if (flagOf(spec, 'manualSelector')) {
        errors.push(fieldNotSupported(`${at}.manualSelector`, true, ['nil', 'false']))
      }
    },
  ],
  'successfulJobsHistoryLimit?': nonNegative,
  'failedJobsHistoryLimit?': nonNegative,
})

export const batchGroup: GroupRules = {
  CronJob: {
    ...NAMESPACED,
    valid: struct({ spec: cronJobSpec }),
    onCreate: (job, _at, errors) => {
      const name = textOf(childOf(job, 'metadata'), 'name')
      if (name.length > CRON_NAME_MAX) {
        errors.push(fieldInvalid('metadata.name', name, `must be no more than ${CRON_NAME_MAX} characters`))
      }
    },
  },
  Job: {
    ...NAMESPACED,
    valid: struct({ spec: jobSpec, '. name': nameFitsIndexes }),
    onCreate: generatedSelector,
    onUpdate: {
      '': changes({
        '. completions': completionsKept,
        'spec.selector': immutable(),
        '. template': templateKept,
        'spec.completionMode': immutable(),
        'spec.podFailurePolicy': immutable(),
        'spec.backoffLimitPerIndex': immutable(),
        'spec.managedBy': immutable(),
        'spec.successPolicy': immutable(),
      }),
      status: jobStatus,
    },
  },
}
