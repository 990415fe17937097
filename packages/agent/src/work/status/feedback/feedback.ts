import {
  type FeedbackJsonPath,
  type FeedbackRule,
  type FeedbackValue,
  ManifestCondition,
  ManifestReason,
} from '@orrery/api'
import { compileJsonPath, type Finding, type JsonPathVisits, parseGroupVersion } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { memo } from '../memo.js'
import { joinedFailures } from '../message.js'
import { FeedbackBudget, MAX_FEEDBACK_BYTES } from './feedback-budget.js'
import { type FieldValueOptions, fieldValueOf } from './field-value.js'
import { wellKnownPaths } from './well-known.js'

/** The values read from an object, and the condition `StatusFeedbackSynced`. */
export interface Feedback {
  readonly values: FeedbackValue[]
  readonly finding: Finding
}

const MAX_PATHS_REMEMBERED = 1000
const ROOM = `the feedback values of a work are limited to ${MAX_FEEDBACK_BYTES} bytes`

const compiled = memo(MAX_PATHS_REMEMBERED, (path) => compileJsonPath(`{${path}}`, { allowMissingKeys: true }))

/**
 * Reads the values that feedback rules select in an object. The condition reports values that cannot be read or
 * exceed the limit.
 */
export function readFeedback(
  object: DynamicObject,
  rules: readonly FeedbackRule[],
  options: FieldValueOptions,
  budget = new FeedbackBudget(),
): Feedback {
  const values = new Map<string, FeedbackValue>()
  const failures: string[] = []
  const attempt = (read: () => FeedbackValue | undefined) => {
    try {
      const value = read()
      if (value === undefined) return
      if (values.has(value.name)) throw new Error(`more than one value is named ${value.name}`)
      if (!budget.takes(value)) throw new Error(`no space for ${value.name}: ${ROOM}`)
      values.set(value.name, value)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  for (const rule of rules) {
    for (const path of pathsOf(object, rule, failures)) attempt(() => readPath(object, path, options, budget))
  }
  return { values: [...values.values()], finding: findingOf(rules, failures) }
}

/** The condition if the work may not read the object. */
export function refusedFeedback(rules: readonly FeedbackRule[], refusal: string): Feedback {
  return { values: [], finding: findingOf(rules, rules.length === 0 ? [] : [refusal]) }
}

function pathsOf(object: DynamicObject, rule: FeedbackRule, failures: string[]): readonly FeedbackJsonPath[] {
  if (rule.type === 'JSONPaths') return rule.jsonPaths ?? []
  if (rule.type !== 'WellKnownStatus') return []
  const paths = wellKnownPaths(object)
  if (paths === undefined) failures.push(`cannot find the wellknown statuses for resource with gvk ${gvkOf(object)}`)
  return paths ?? []
}

function readPath(
  object: DynamicObject,
  { name, path, version }: FeedbackJsonPath,
  options: FieldValueOptions,
  { visits }: FeedbackBudget,
): FeedbackValue | undefined {
  if (version !== undefined && version !== '' && parseGroupVersion(object.apiVersion)?.version !== version) {
    throw new Error(`version set in the path ${name} is not matched for the related resource`)
  }
  const value = find(object, name, path, options, visits)
  if (value === undefined || value === null) return undefined
  return { name, fieldValue: fieldValueOf(name, value, options) }
}

/** The value at a path. If there are several: all of them as a list if lists can be reported, else the first. */
function find(
  object: DynamicObject,
  name: string,
  path: string,
  { rawJson }: FieldValueOptions,
  visits: JsonPathVisits,
): unknown {
  const template = explained(`failed to parse json path ${path} of ${name} with error`, () => compiled(path))
  const results = explained(`failed to find value for ${name} with error`, () => template.results(object, visits))
  const first = results[0]
  if (first === undefined || first.length === 0) return undefined
  return rawJson && (results.length > 1 || first.length > 1) ? first : first[0]
}

function explained<T>(what: string, attempt: () => T): T {
  try {
    return attempt()
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

function findingOf(rules: readonly FeedbackRule[], failures: readonly string[]): Finding {
  const type = ManifestCondition.StatusFeedbackSynced
  if (failures.length === 0) {
    const reason = rules.length === 0 ? ManifestReason.NoStatusFeedbackSynced : ManifestReason.StatusFeedbackSynced
    return { type, status: 'True', reason }
  }
  const message = `Sync status feedback failed with error ${joinedFailures(failures)}`
  return { type, status: 'False', reason: ManifestReason.StatusFeedbackSyncFailed, message }
}

function gvkOf({ apiVersion, kind }: DynamicObject): string {
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: '', version: apiVersion }
  return `${group}/${version}, Kind=${kind}`
}
