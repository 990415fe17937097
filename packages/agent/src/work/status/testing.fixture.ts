import type { ConditionRule, FeedbackRule, ManifestConfig, ManifestResourceMeta, ManifestWork } from '@orrery/api'
import { parseGroupVersion } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { ManifestOutcome, WorkOutcome } from '../outcomes.js'
import type { Observation } from './observation.js'
import { type StatusOptions, workStatusOf } from './work.js'

export const NOW = new Date('2030-01-01T00:00:00Z')
export const LATER = new Date('2030-01-01T01:00:00Z')

/** An object as the cluster returns it. */
export function objectOf(apiVersion: string, kind: string, fields: Record<string, unknown> = {}): DynamicObject {
  const { metadata, ...rest } = fields
  return {
    apiVersion,
    kind,
    ...rest,
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'uid-web',
      resourceVersion: '10',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...(metadata as object),
    },
  }
}

/** The resource meta of an object in the status of a work. */
export function metaOf({ apiVersion, kind, metadata }: DynamicObject, ordinal = 0): ManifestResourceMeta {
  const { name, namespace = '' } = metadata
  const { group = '', version = '' } = parseGroupVersion(apiVersion) ?? {}
  return { ordinal, group, version, kind, resource: `${kind.toLowerCase()}s`, name, namespace }
}

export interface Part {
  readonly object: DynamicObject
  readonly feedbackRules?: FeedbackRule[]
  readonly conditionRules?: ConditionRule[]
  readonly applied?: Partial<ManifestOutcome>
  /** Default: the object exists. Null while it is awaited. */
  readonly observation?: Observation | null
}

/** A work with manifests for these objects. */
export function workOf(parts: readonly Part[], fields: Partial<ManifestWork> = {}): ManifestWork {
  const manifestConfigs = parts.map(({ object, feedbackRules, conditionRules }, ordinal): ManifestConfig => {
    const { group = '', resource = '', name = '', namespace = '' } = metaOf(object, ordinal)
    return {
      resourceIdentifier: { group, resource, name, namespace },
      feedbackScrapeType: 'Poll',
      ...(feedbackRules !== undefined && { feedbackRules }),
      ...(conditionRules !== undefined && { conditionRules }),
    }
  })
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      name: 'work',
      namespace: 'cluster1',
      uid: 'uid-work',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
    },
    spec: { manifestConfigs },
    ...fields,
  }
}

/** The outcome of these objects: applied unless a part says otherwise. */
export function outcomeOf(parts: readonly Part[], generation = 1): WorkOutcome {
  const manifests = parts.map(({ object, applied }, ordinal) => ({
    resourceMeta: metaOf(object, ordinal),
    status: 'True' as const,
    reason: 'AppliedManifestComplete',
    message: 'Apply manifest complete',
    ...applied,
  }))
  return { uid: 'uid-work', generation, manifests }
}

/** Options to observe the objects of these parts. */
export function optionsFor(parts: readonly Part[], now = NOW): StatusOptions {
  return {
    now,
    rawJson: false,
    maxJsonRawLength: 1024,
    observe: ({ ordinal }) => {
      const part = parts[ordinal] as Part
      if (part.observation === null) return undefined
      return part.observation ?? { state: 'there', object: part.object }
    },
  }
}

/** The work with its new status. */
export function reported(work: ManifestWork, parts: readonly Part[], now = NOW): ManifestWork {
  const status = workStatusOf(work, outcomeOf(parts, work.metadata.generation), optionsFor(parts, now))
  return status === undefined ? work : { ...work, status }
}

/** `True Reason: message` of each condition, by type. */
export function conditionTexts(conditions: ManifestConditions): Record<string, string> {
  return Object.fromEntries(
    (conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      message === '' ? `${status} ${reason}` : `${status} ${reason}: ${message}`,
    ]),
  )
}

type ManifestConditions = readonly { type: string; status: string; reason: string; message: string }[] | undefined
