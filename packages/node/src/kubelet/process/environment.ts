import type { ConfigMap, Container, EnvVarSource, Pod, Secret } from '@orrery/kinds'
import { isEnvVarName } from '@orrery/kinds/values'
import { NotStarted } from '../container/not-started.js'
import { ByteBudget } from '../downward-api/byte-budget.js'
import { containerNamed } from '../downward-api/container-named.js'
import { type PodPlace, podFieldValue } from '../downward-api/field-value.js'
import { resourceFieldValue } from '../downward-api/resource-value.js'
import type { Environment } from '../os/child-process.js'
import { expand } from './expansion.js'

/** The sources of environment variables. */
export interface EnvironmentSources {
  configMap(name: string): Promise<ConfigMap | undefined>
  secret(name: string): Promise<Secret | undefined>
  readonly place: PodPlace
  /** The allocatable resources of the node. */
  readonly allocatable: Readonly<Record<string, string>>
}

/** More than Linux passes to a process. */
const MOST_BYTES = 4 * 1024 * 1024

/** The budget for the variables of a container, or for its arguments. */
export function variableBudget(container: Container): ByteBudget {
  const name = JSON.stringify(container.name)
  return new ByteBudget(MOST_BYTES, () =>
    misconfigured(`the variables or arguments of container ${name} have more than ${MOST_BYTES} bytes: shorten them`),
  )
}

/**
 * Returns the environment of a container: its variables on top of the base variables, which they can refer to. Throws
 * `NotStarted` if a source is missing or the variables are too large.
 */
export async function environmentOf(
  pod: Pod,
  container: Container,
  given: ReadonlyMap<string, string>,
  sources: EnvironmentSources,
  budget = variableBudget(container),
): Promise<Environment> {
  const result: Environment = new Map(given)
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const isSecret = configMapRef === undefined
    const data = isSecret
      ? await secretData(sources, secretRef?.name ?? '', secretRef?.optional)
      : await configMapData(sources, configMapRef.name ?? '', configMapRef.optional)
    for (const [key, value] of Object.entries(data)) {
      budget.take(prefix.length + key.length + value.length)
      const name = prefix + key
      if (isEnvVarName(name).length === 0) result.set(name, isSecret ? decoded(value) : value)
    }
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found =
      valueFrom === undefined
        ? expand(value ?? '', (other) => result.get(other), budget)
        : await sourcedValue(pod, container, valueFrom, sources)
    if (found === undefined) continue
    budget.take(name.length + (valueFrom === undefined ? 0 : found.length))
    result.set(name, found)
  }
  return result
}

async function sourcedValue(
  pod: Pod,
  container: Container,
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: EnvVarSource,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  const { namespace } = pod.metadata
  if (fieldRef !== undefined) {
    const value = podFieldValue(pod, fieldRef.fieldPath, sources.place)
    if (value === undefined) throw misconfigured(`unsupported fieldPath: ${fieldRef.fieldPath}`)
    return value
  }
  if (resourceFieldRef !== undefined) {
    const named = containerNamed(pod, resourceFieldRef.containerName)
    return resourceFieldValue(resourceFieldRef, named ?? container, sources.allocatable)
  }
  if (configMapKeyRef !== undefined) {
    const { name = '', key, optional } = configMapKeyRef
    const data = await configMapData(sources, name, optional)
    if (Object.hasOwn(data, key)) return data[key]
    if (optional === true) return undefined
    throw misconfigured(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`)
  }
  if (secretKeyRef !== undefined) {
    const { name = '', key, optional } = secretKeyRef
    const data = await secretData(sources, name, optional)
    if (Object.hasOwn(data, key)) return decoded(data[key] ?? '')
    if (optional === true) return undefined
    throw misconfigured(`couldn't find key ${key} in Secret ${namespace}/${name}`)
  }
  throw misconfigured('a variable has a source that this node does not support')
}

type Data = Readonly<Record<string, string>>

async function configMapData(sources: EnvironmentSources, name: string, optional = false): Promise<Data> {
  const found = await sources.configMap(name)
  if (found === undefined && !optional) throw misconfigured(`configmap ${JSON.stringify(name)} not found`)
  return found?.data ?? {}
}

/** Values are in base64. */
async function secretData(sources: EnvironmentSources, name: string, optional = false): Promise<Data> {
  const found = await sources.secret(name)
  if (found === undefined && !optional) throw misconfigured(`secret ${JSON.stringify(name)} not found`)
  return found?.data ?? {}
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

function misconfigured(message: string): NotStarted {
  return new NotStarted('CreateContainerConfigError', message)
}
