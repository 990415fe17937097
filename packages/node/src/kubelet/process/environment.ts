import type { ConfigMap, Container, EnvVarSource, Pod, Secret } from '@orrery/kinds'
import { isEnvVarName } from '@orrery/kinds/values'
import { NotStarted } from '../container/not-started.js'
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

/**
 * Returns the environment of a container: its variables on top of the base variables, which they can refer to. Throws
 * `NotStarted` if a source is missing.
 */
export async function environmentOf(
  pod: Pod,
  container: Container,
  given: ReadonlyMap<string, string>,
  sources: EnvironmentSources,
): Promise<Environment> {
  const result: Environment = new Map(given)
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const values =
      configMapRef === undefined
        ? await secretValues(sources, secretRef?.name ?? '', secretRef?.optional)
        : await configMapValues(sources, configMapRef.name ?? '', configMapRef.optional)
    for (const [key, value] of values) {
      const name = prefix + key
      if (isEnvVarName(name).length === 0) result.set(name, value)
    }
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found =
      valueFrom === undefined
        ? expand(value ?? '', (other) => result.get(other))
        : await sourcedValue(pod, container, valueFrom, sources)
    if (found !== undefined) result.set(name, found)
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
    const named = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find(
      ({ name }) => name === resourceFieldRef.containerName,
    )
    return resourceFieldValue(resourceFieldRef, named ?? container, sources.allocatable)
  }
  if (configMapKeyRef !== undefined) {
    const { name = '', key, optional } = configMapKeyRef
    const value = (await configMapValues(sources, name, optional)).get(key)
    if (value === undefined && optional !== true) {
      throw misconfigured(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`)
    }
    return value
  }
  if (secretKeyRef !== undefined) {
    const { name = '', key, optional } = secretKeyRef
    const value = (await secretValues(sources, name, optional)).get(key)
    if (value === undefined && optional !== true) {
      throw misconfigured(`couldn't find key ${key} in Secret ${namespace}/${name}`)
    }
    return value
  }
  throw misconfigured('a variable has a source that this node does not support')
}

async function configMapValues(sources: EnvironmentSources, name: string, optional = false): Promise<Environment> {
  const found = await sources.configMap(name)
  if (found === undefined && !optional) throw misconfigured(`configmap ${JSON.stringify(name)} not found`)
  return new Map(Object.entries(found?.data ?? {}))
}

async function secretValues(sources: EnvironmentSources, name: string, optional = false): Promise<Environment> {
  const found = await sources.secret(name)
  if (found === undefined && !optional) throw misconfigured(`secret ${JSON.stringify(name)} not found`)
  const entries = Object.entries(found?.data ?? {})
  return new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]))
}

function misconfigured(message: string): NotStarted {
  return new NotStarted('CreateContainerConfigError', message)
}
