import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isObject,
  isQualifiedName,
} from '@orrery/kinds/values'
import { MaestroError } from '../errors.js'
import type { Bundle } from '../store/bundle.js'
import { isNull, isString, itemsOf, JsonError, membersOf, textOf as stringOf } from './json-parts.js'

/** The parts of the data of a spec event, as the bytes that the source sent. */
export type Spec = Pick<Bundle, 'manifests' | 'deleteOption' | 'manifestConfigs' | 'executer'>

const TOTAL_ANNOTATIONS = 256 * 1024
/** Nobody reads more of them, and a message can have 100,000. */
const MAX_PROBLEMS = 20

/** Splits the data of a spec event and applies Maestro's rules for manifests. Throws `MaestroError`. */
export function readSpec(data: Buffer, name = 'manifest bundle'): Spec {
  try {
    const members = membersOf(data)
    const part = (key: string) => {
      const value = members.get(key)
      return value === undefined || isNull(value) ? undefined : value
    }
    const manifests = part('manifests')
    if (manifests === undefined) throw new Problem('manifest bundle is empty')
    checkManifests(manifests)
    const [deleteOption, manifestConfigs, executer] = [part('deleteOption'), part('manifestConfigs'), part('executer')]
    // Agents could take an executor that they do not understand for none, and apply the work with all of their permissions.
    checkType('deleteOption', deleteOption, '{', 'an object')
    checkType('executer', executer, '{', 'an object')
    checkType('manifestConfigs', manifestConfigs, '[', 'a list')
    return {
      manifests,
      ...(deleteOption && { deleteOption }),
      ...(manifestConfigs && { manifestConfigs }),
      ...(executer && { executer }),
    }
  } catch (error) {
    if (error instanceof Problem) throw invalidBundle(error.message, name)
    if (error instanceof JsonError) throw invalidBundle(`failed to decode manifest bundle: ${error.message}`, name)
    throw error
  }
}

export function invalidBundle(problem: string, name = 'manifest bundle'): MaestroError {
  return new MaestroError('Validation', `the ${name} in the resource is invalid, ${problem}`)
}

class Problem extends Error {}

function checkType(name: string, value: Buffer | undefined, first: string, type: string): void {
  if (value !== undefined && value.toString('latin1', 0, 1) !== first) throw new Problem(`${name} has to be ${type}`)
}

function checkManifests(manifests: Buffer): void {
  const seen = new Set<string>()
  for (const manifest of itemsOf(manifests)) {
    const { apiVersion, kind, namespace, name } = checkManifest(membersOf(manifest))
    const key = `${apiVersion}/${kind}/${namespace}/${name}`
    if (seen.has(key)) {
      throw new Problem(`duplicate manifest for resource ${namespace}/${name} with resource type ${apiVersion}.${kind}`)
    }
    seen.add(key)
  }
}

function checkManifest(members: Map<string, Buffer>) {
  const apiVersion = stringIn(members, 'apiVersion')
  const kind = stringIn(members, 'kind')
  const parsed = parse(members.get('metadata'))
  const metadata = isObject(parsed) ? parsed : {}
  const [namespace, name] = [textOf(metadata.namespace), textOf(metadata.name)]
  const problems: string[] = []
  if (!VALID_API_VERSIONS.has(apiVersion)) problems.push(...apiVersionProblems(apiVersion))
  if (kind === '') problems.push('kind: Required value: field not set')
  if (name === '') problems.push('metadata.name: Required value: field not set')
  if (namespace !== '') problems.push(...invalid('metadata.namespace', namespace, isDNS1123Label(namespace)))
  addMetadataProblems(metadata, problems)
  if (problems.length > 0) throw new Problem(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`)
  return { apiVersion, kind, namespace, name }
}

/** Most manifests have one of these. */
const VALID_API_VERSIONS: ReadonlySet<string> = new Set(['v1', 'apps/v1', 'batch/v1', 'rbac.authorization.k8s.io/v1'])

function stringIn(members: Map<string, Buffer>, key: string): string {
  const value = members.get(key)
  return value === undefined || !isString(value) ? '' : stringOf(value)
}

function apiVersionProblems(apiVersion: string): string[] {
  if (apiVersion === '') return ['apiVersion: Required value: field not set']
  const parts = apiVersion.split('/')
  if (parts.length > 2) return invalid('apiVersion', apiVersion, ['bad format'])
  const version = parts.at(-1)!
  const group = parts.length === 2 ? parts[0]! : undefined
  return invalid('apiVersion', apiVersion, [
    ...(group === '' ? ['group not set'] : group === undefined ? [] : isDNS1123Subdomain(group)),
    ...(version === '' ? ['version not set'] : isDNS1035Label(version)),
  ])
}

/** A source can not set these: they belong to the API server of the cluster. */
const FORBIDDEN = ['generateName', 'resourceVersion'] as const

function addMetadataProblems(metadata: Record<string, unknown>, problems: string[]): void {
  const { annotations, labels, finalizers, deletionGracePeriodSeconds } = metadata
  for (const field of FORBIDDEN) if (textOf(metadata[field]) !== '') problems.push(forbidden(field))
  if (typeof deletionGracePeriodSeconds === 'number') problems.push(forbidden('deletionGracePeriodSeconds'))
  let size = 0
  for (const [key, value] of entriesOf(annotations)) {
    if (problems.length > MAX_PROBLEMS) return
    problems.push(...invalid('metadata.annotations', key, isQualifiedName(key.toLowerCase())))
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > TOTAL_ANNOTATIONS) {
    problems.push(`metadata.annotations: Too long: may not be more than ${TOTAL_ANNOTATIONS} bytes`)
  }
  for (const finalizer of Array.isArray(finalizers) ? finalizers.map(textOf) : []) {
    if (problems.length > MAX_PROBLEMS) return
    problems.push(...invalid('metadata.finalizers', finalizer, isQualifiedName(finalizer)))
  }
  for (const [key, value] of entriesOf(labels)) {
    if (problems.length > MAX_PROBLEMS) return
    problems.push(...invalid('metadata.labels', key, isQualifiedName(key)))
    problems.push(...invalid('metadata.labels', value, isLabelValue(value)))
  }
}

const forbidden = (field: string) => `metadata.${field}: Forbidden: field cannot be set`

const invalid = (field: string, value: string, messages: readonly string[]) =>
  messages.map((message) => `${field}: Invalid value: ${JSON.stringify(value)}: ${message}`)

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

const entriesOf = (value: unknown): [string, string][] =>
  isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []

function parse(json: Buffer | undefined): unknown {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw new JsonError((error as Error).message, { cause: error })
  }
}
