import {
  AddOnCondition,
  AddOnReason,
  CONFIG_SPEC_HASH_ANNOTATION,
  type ConfigReference,
  HOSTING_CLUSTER_ANNOTATION,
  type ManagedClusterAddOn,
  type ManifestWork,
  WorkCondition,
} from '@orrery/api'
import { type Finding, findCondition, isObject, jsonEqual } from '@orrery/kinds/values'
import { currentCondition, hasCurrentCondition } from '../work/current-condition.js'
import { typeKey } from './configuration/desired-configs.js'

const { HostingManifestApplied, ManifestApplied, Progressing } = AddOnCondition

/**
 * The condition Progressing of an add-on, from the works that it has on its clusters. The first row that matches applies.
 *
 * | what is found                                                        | status | reason                           |
 * |----------------------------------------------------------------------|--------|----------------------------------|
 * | its spec has a configuration that the add-on does not support        | False  | ConfigurationUnsupported         |
 * | no condition ManifestApplied                                         | False  | WaitingForManifestApplied        |
 * | hosted, and no condition HostingManifestApplied                      | False  | WaitingForHostingManifestApplied |
 * | no works                                                             | True   | Progressing                      |
 * | a work with other configurations                                     | True   | Progressing                      |
 * | a work that reports Progressing and Degraded for its generation      | False  | Failed                           |
 * | a work that is not Available and Applied at its generation           | True   | Progressing                      |
 * | none of these                                                        | False  | Completed                        |
 */
export function progressOfWorks(addOn: ManagedClusterAddOn, works: readonly ManifestWork[]): Finding {
  const waiting = waitingFor(addOn)
  if (waiting !== undefined) return waiting
  if (works.length === 0) return progressing('no addon works')
  for (const work of works) {
    if (work.metadata.name.startsWith(`addon-${addOn.metadata.name}-pre-delete`)) continue
    if (!hasConfigsOf(work, addOn)) return progressing('mca and work configs mismatch')
    const failure = failureOf(work)
    if (failure !== undefined) return failure
    if (!isReady(work)) return progressing('work is not ready')
  }
  return { type: Progressing, status: 'False', reason: AddOnReason.Completed, message: 'completed with no errors.' }
}

function waitingFor({ metadata, spec, status }: ManagedClusterAddOn): Finding | undefined {
  const waiting = (reason: string, message: string): Finding => ({
    type: Progressing,
    status: 'False',
    reason,
    message,
  })
  const supported = new Set((status?.supportedConfigs ?? []).map(typeKey))
  const unsupported = (spec?.configs ?? []).find((config) => !supported.has(typeKey(config)))
  if (unsupported !== undefined) {
    const { group, resource } = unsupported
    const message = `Configuration with gvr ${group}/${resource} is not supported for this addon`
    return waiting(AddOnReason.ConfigurationUnsupported, message)
  }
  const lacks = (type: string) => findCondition(status?.conditions, type) === undefined
  const messageFor = (type: string) => `Waiting for ManagedClusterAddOn ${type} condition`
  if (lacks(ManifestApplied)) return waiting(AddOnReason.WaitingForManifestApplied, messageFor(ManifestApplied))
  const isHosted = (metadata.annotations?.[HOSTING_CLUSTER_ANNOTATION] ?? '') !== ''
  if (isHosted && lacks(HostingManifestApplied)) {
    return waiting(AddOnReason.WaitingForHostingManifestApplied, messageFor(HostingManifestApplied))
  }
  return undefined
}

function progressing(message: string): Finding {
  return { type: Progressing, status: 'True', reason: AddOnReason.Progressing, message: `progressing... ${message}` }
}

/** Agents of Open Cluster Management do not report Degraded. Ours reports it with Progressing when a change fails. */
function failureOf(work: ManifestWork): Finding | undefined {
  if (!hasCurrentCondition(work, WorkCondition.Progressing, 'True')) return undefined
  const degraded = currentCondition(work, WorkCondition.Degraded)
  if (degraded?.status !== 'True') return undefined
  return {
    type: Progressing,
    status: 'False',
    reason: AddOnReason.Failed,
    message: `ManifestWork ${work.metadata.name} is degraded: ${degraded.message}`,
  }
}

function isReady(work: ManifestWork): boolean {
  const { Applied, Available } = WorkCondition
  return hasCurrentCondition(work, Available, 'True') && hasCurrentCondition(work, Applied, 'True')
}

/** Whether a work was rendered with the desired configurations of its add-on. */
function hasConfigsOf({ metadata }: ManifestWork, { status }: ManagedClusterAddOn): boolean {
  const references = status?.configReferences ?? []
  const annotation = metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION]
  if (annotation === undefined) return references.length === 0
  const hashes = parsed(annotation)
  if (hashes === undefined || Object.values(hashes).includes('')) return false
  if (references.some(({ desiredConfig }) => (desiredConfig?.specHash ?? '') === '')) return false
  return jsonEqual(hashes, Object.fromEntries(references.map((one) => [hashKey(one), one.desiredConfig?.specHash])))
}

/** `{resource}.{group}/{namespace}/{name}`, as the annotation of works has it. */
function hashKey({ desiredConfig, ...type }: ConfigReference): string {
  const { namespace = '', name = '' } = desiredConfig ?? {}
  return `${typeKey(type)}/${namespace}/${name}`
}

function parsed(annotation: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const hashes: unknown = JSON.parse(annotation)
    return isObject(hashes) ? hashes : undefined
  } catch {
    return undefined
  }
}
